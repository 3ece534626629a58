import { signal } from "@preact/signals";
import { BASE } from "./address.ts";
import {
  dropWaiting,
  holdRequests,
  isSignInNeeded,
  type Output,
  request,
  requestOnce,
  resumeWaiting,
  shownTime,
  token,
} from "./api.ts";
import { clearMessages } from "./messages.ts";
import { forgetReads, refresh } from "./reads.ts";

type Me = Output<"GET /api/admin/user">;

/** The signed-in user and their permissions; undefined until known. */
export const me = signal<Me | undefined>(undefined);

/** A different user who has signed in from another window, which replaces the cookie of this one too. */
export const otherUser = signal<Me | undefined>(undefined);

/** The windows of this browser tell each other the ID of the user whenever they learn it from the server. */
const windows = new BroadcastChannel(`flagstone${BASE}`);

windows.onmessage = ({ data: id }) => {
  if (token.value !== undefined) return; // sent instead of the cookie
  const isOther = me.value !== undefined && idOf(me.value) !== id;
  if (isOther || isSignInNeeded.value) void noticeSignIn();
};

/** Reads the signed-in user; changed permissions show at once. If that fails, what is known stays. */
export async function readMe() {
  const found = await request("GET /api/admin/user").catch(() => undefined);
  if (found && isOther(found)) await noticeSignIn();
  else if (found) learn(found);
}

function learn(found: Me) {
  me.value = found;
  if (token.value === undefined) windows.postMessage(idOf(found));
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

/**
 * Finds out who is signed in now, such as by a link in another window. Continues if it is the same user; otherwise shows
 * the sign-in form. Sends nothing else until then.
 */
export async function noticeSignIn() {
  if (me.value) holdRequests();
  const found = await requestOnce("GET /api/admin/user").catch(() => undefined);
  if (found && !isOther(found)) return continueAs(found);
  otherUser.value = found;
  isSignInNeeded.value = true;
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
  learn(found);
  otherUser.value = undefined;
  resumeWaiting();
  await refresh();
}

/** Where a permission is needed; without an environment, one held in any environment counts. */
interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

/**
 * Whether the user has a permission, as far as the page knows; the server decides. Nobody changes what was, though
 * administrators still find their way.
 */
export function may(permission: string, { project, environment }: Place = {}): boolean {
  if (shownTime.value !== undefined && permission !== "ADMIN") return false;
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

/** Whether the user may create a token for an application that uses a project's flags. */
export const mayConnect = (project: string) =>
  may("CREATE_PROJECT_API_TOKEN", { project }) || may("CREATE_CLIENT_API_TOKEN");
