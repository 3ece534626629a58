import { effect, signal } from "@preact/signals";

/** The server could not be reached the last time. */
export const isLost = signal(false);

const RETRY_MS = 2000;

/** Looks for a server that has gone, and tells when it is back. */
export function watchConnection(onBack: () => void) {
  effect(() => {
    if (!isLost.value) return;
    const timer = setInterval(async () => {
      const response = await fetch(new URL("health", document.baseURI)).catch(() => undefined);
      if (!response?.ok) return;
      isLost.value = false;
      onBack();
    }, RETRY_MS);
    return () => clearInterval(timer);
  });
}
