import { signal } from "@preact/signals";

/** Nobody is signed in, or no longer: the page shows the sign-in form, over whatever is open. */
export const isSignInNeeded = signal(false);

let waiting: Array<() => void> = [];

/** Resolves once the user has signed in. */
export function signedInAgain(): Promise<void> {
  isSignInNeeded.value = true;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

/** Resumes whatever is waiting for a sign-in. */
export function resumeWaiting() {
  isSignInNeeded.value = false;
  const released = waiting;
  waiting = [];
  for (const resolve of released) resolve();
}
