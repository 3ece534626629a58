import { useRef } from "preact/hooks";

/** The value, or the last one there was while it is undefined. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}
