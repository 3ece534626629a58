import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";

/** The path of the view that was opened last; browsers themselves read out a page that they load. */
let opened = location.pathname;

/**
 * Focuses the heading of a view that opens in place of another, since what had the focus is gone or belongs to the menu:
 * screen readers then say where one is, and Tab goes on from there. Focus that is in the view already stays.
 * @returns the ref of the heading
 */
export function useArrival(): RefObject<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  const [path] = useLocation();
  useLayoutEffect(() => {
    if (location.pathname === opened) return;
    opened = location.pathname;
    if (!document.querySelector("main :focus, dialog[open]")) heading.current?.focus();
  }, [path]);
  return heading;
}
