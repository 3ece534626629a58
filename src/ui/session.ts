import { signal } from "@preact/signals";
import { type Output, request, requestOnce } from "./api.ts";
import { refresh } from "./reads.ts";
import { endWaiting } from "./session-end.ts";
import { token } from "./token.ts";

export type Me = Output<"GET /api/admin/user">;

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

/** @throws RequestError if nobody has this token, or it is only for what applications ask for */
export async function signInWithToken(pasted: string) {
  if (!/^[\x21-\x7e]+$/.test(pasted)) throw new Error("This is neither a sign-in link nor a token.");
  token.value = pasted;
  try {
    await requestOnce("GET /api/admin/user");
  } catch (error) {
    token.value = undefined;
    throw error;
  }
  await begin();
}

/** Goes on if the same user has signed in elsewhere, such as by a link. @returns who it is, if it's somebody else */
export async function noticeSignIn(): Promise<Me | undefined> {
  const found = await requestOnce("GET /api/admin/user").catch(() => undefined);
  if (found && me.value && idOf(found) !== idOf(me.value)) return found;
  if (found) await begin();
  return undefined;
}

/** Of a token that belongs to nobody, there is only its name. */
const idOf = ({ user }: Me) => ("id" in user ? user.id : user.username);

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
