import { signal } from "@preact/signals";
import { token } from "./token.ts";

/** Nobody is signed in, or no longer: the page shows the sign-in form, over whatever is open. */
export const isSignInNeeded = signal(false);

let isHeld = false;

/** Holds back requests until the next sign-in: the cookie that they would be sent with may be a different user's. */
export function holdRequests() {
  isHeld = true;
}

/** Why a request isn't sent again: a different user has signed in than the one who made it. */
export class Dropped extends Error {
  override message = "A different user has signed in.";
}

interface Waiting {
  resume(): void;
  drop(reason: Dropped): void;
}

const waiting: Waiting[] = [];

/** Changes with the user of the page. */
let user = Symbol();

/** Identifies the user of the page, even before their name is known. */
export const currentUser = () => user;

/**
 * Resolves once the user has signed in again.
 * @param asking the user who is waiting
 * @throws Dropped if a different user has signed in
 */
export async function signedInAgain(asking: symbol): Promise<void> {
  if (asking !== user) throw new Dropped();
  token.value = undefined;
  isSignInNeeded.value = true;
  await nextSignIn();
}

/** Resolves at once unless requests are held back. @throws Dropped if a different user has signed in */
export const released = () => (isHeld ? nextSignIn() : undefined);

const nextSignIn = () =>
  new Promise<void>((resume, drop) => {
    waiting.push({ resume, drop });
  });

/** Resumes whatever is waiting for a sign-in. */
export function resumeWaiting() {
  isHeld = false;
  isSignInNeeded.value = false;
  for (const { resume } of waiting.splice(0)) resume();
}

/** Drops whatever is waiting for a sign-in, since a different user has signed in. */
export function dropWaiting() {
  user = Symbol();
  for (const { drop } of waiting.splice(0)) drop(new Dropped());
}
