import { signal } from "@preact/signals";
import { type Output, request } from "./api.ts";
import { refresh } from "./reads.ts";
import { endWaiting } from "./session-end.ts";

type Me = Output<"GET /api/admin/user">;

/** Who is signed in and what they may; undefined until it is known. */
export const me = signal<Me | undefined>(undefined);

/** Asks who is there; that they may see something else now shows at once. */
export async function readMe() {
  me.value = await request("GET /api/admin/user");
}

/** @throws RequestError if it is not their password */
export async function signIn(username: string, password: string) {
  await request("POST /auth/simple/login", { body: { username, password } });
  await begin();
}

/** Goes on with a session that has begun. */
export async function begin() {
  endWaiting();
  await readMe();
  await refresh();
}

/** Where something is to be done: none is anywhere. */
interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

/** Whether they may do something, as far as the page knows; the server has the last word. */
export function may(permission: string, { project, environment }: Place = {}): boolean {
  return (me.value?.permissions ?? []).some(
    (held) =>
      held.permission === "ADMIN" ||
      (held.permission === permission &&
        [undefined, "*", project].includes(held.project) &&
        (!held.environment || environment === undefined || held.environment === environment)),
  );
}

/** Whether they administer everything. */
export const isAdmin = () => may("ADMIN");
