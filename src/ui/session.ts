import { signal } from "@preact/signals";
import { type Output, request, requestOnce } from "./api.ts";
import { clearMessages } from "./parts/messages.tsx";
import { forgetReads, refresh } from "./reads.ts";
import { dropWaiting, resumeWaiting } from "./session-end.ts";
import { token } from "./token.ts";

export type Me = Output<"GET /api/admin/user">;

/** The signed-in user and their permissions; undefined until known. */
export const me = signal<Me | undefined>(undefined);

/** Reads the signed-in user; changed permissions show at once. If that fails, what is known stays. */
export async function readMe() {
  me.value = await request("GET /api/admin/user").catch(() => me.value);
}

/** @throws RequestError if the username or password is wrong */
export async function signIn(username: string, password: string) {
  await request("POST /auth/simple/login", { body: { username, password } });
  await begin();
}

/** @throws RequestError if the token is unknown, or is a client or frontend token */
export async function signInWithToken(pasted: string) {
  if (!/^[\x21-\x7e]+$/.test(pasted)) throw new Error("This is neither a sign-in link nor a token.");
  token.value = pasted;
  try {
    await begin();
  } catch (error) {
    token.value = undefined;
    throw error;
  }
}

/** Continues if the same user has signed in elsewhere, such as by a link. @returns the user, if it is a different one */
export async function noticeSignIn(): Promise<Me | undefined> {
  const found = await requestOnce("GET /api/admin/user").catch(() => undefined);
  if (found && isOther(found)) return found;
  if (found) await continueAs(found);
  return undefined;
}

/** Identifies a user; a token that belongs to none has only a name. */
export const idOf = ({ user }: Me) => ("id" in user ? user.id : user.username);

const isOther = (found: Me) => me.value !== undefined && idOf(found) !== idOf(me.value);

/** Continues with a new session. @throws RequestError if there is none */
export const begin = async () => continueAs(await requestOnce("GET /api/admin/user"));

/** A different user finds nothing that the former one saw, and nothing that one asked for is sent as theirs. */
async function continueAs(found: Me) {
  if (isOther(found)) {
    dropWaiting();
    forgetReads();
    clearMessages();
  }
  me.value = found;
  resumeWaiting();
  await refresh();
}

/** Where a permission is needed; without an environment, one held in any environment counts. */
interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

/** Whether the user has a permission, as far as the page knows; the server decides. */
export function may(permission: string, { project, environment }: Place = {}): boolean {
  return (me.value?.permissions ?? []).some(
    (held) =>
      held.permission === "ADMIN" ||
      (held.permission === permission &&
        [undefined, "*", project].includes(held.project) &&
        (!held.environment || environment === undefined || held.environment === environment)),
  );
}

/** The signed-in user; undefined for a token that belongs to no user. */
export function ownUser() {
  const user = me.value?.user;
  return user && "id" in user ? user : undefined;
}

export const isAdmin = () => may("ADMIN");
