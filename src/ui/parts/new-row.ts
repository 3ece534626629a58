import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * Moves the focus to the first field of a row that was just added to a list.
 * @param rows how many there are
 * @param selector of a row
 * @returns the ref of the list, and what announces that a row is about to be added
 */
export function useNewRow(rows: number, selector: string): [RefObject<HTMLFieldSetElement>, () => void] {
  const list = useRef<HTMLFieldSetElement>(null);
  const isAdding = useRef(false);
  useEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    const row = [...(list.current?.querySelectorAll(selector) ?? [])].at(-1);
    row?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [rows]);
  return [
    list,
    () => {
      isAdding.current = true;
    },
  ];
}
