import { effect, signal } from "@preact/signals";

/** Whether the last attempt to reach the server failed. */
export const isLost = signal(false);

const RETRY_MS = 2000;

/** Polls a server that can't be reached, and calls `onBack` when it responds again. */
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
