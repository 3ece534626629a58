import { signal } from "@preact/signals";

/** Nobody is signed in, or no longer: the page asks who is there, above whatever is open. */
export const isSignInNeeded = signal(false);

let waiting: Array<() => void> = [];

/** Resolves as soon as somebody has signed in. */
export function signedInAgain(): Promise<void> {
  isSignInNeeded.value = true;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

/** Lets what waits go on. */
export function endWaiting() {
  isSignInNeeded.value = false;
  const released = waiting;
  waiting = [];
  for (const resolve of released) resolve();
}
