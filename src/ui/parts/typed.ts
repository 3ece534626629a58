import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** How many forms on screen have input that isn't saved. */
const typed = signal(0);

/** Whether any form on screen has input that isn't saved. */
export const isAnythingTyped = computed(() => typed.value > 0);

/** Counts a form while it has input that isn't saved. */
export function useTyped(isTyped: boolean) {
  useEffect(() => {
    if (!isTyped) return;
    typed.value++;
    return () => {
      typed.value--;
    };
  }, [isTyped]);
}
