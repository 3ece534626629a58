import { useEffect, useState } from "preact/hooks";
import { CLOSED } from "../address.ts";

/** Return whether the page stays where it is; one for each open dialog, the newest last. */
const guards = new Set<() => boolean>();

// Listens before the router does, which would close the dialog.
addEventListener("popstate", (event) => {
  const isSkipped = history.state === CLOSED;
  if (isSkipped) history.back();
  if (isSkipped || [...guards].reverse().some((stays) => stays())) event.stopImmediatePropagation();
});

/**
 * Keeps the page where it is when the user goes back or forward to where the dialog isn't open. Browsers ask nobody, so
 * it returns to where it was.
 * @param isNeeded whether anything would be lost
 * @param leave called instead, with what goes back after all
 */
export function useBackGuard(isNeeded: () => boolean, leave: (go: () => void) => void) {
  const [{ href, state }] = useState(() => ({ href: location.href, state: history.state }));
  useEffect(() => {
    const guard = () => {
      if (isWithin(href) || !isNeeded()) return false;
      history.pushState(state, "", href);
      leave(() => history.back());
      return true;
    };
    guards.add(guard);
    return () => guards.delete(guard);
  }, []);
}

/** Whether the page is at an address, or at the same one with a dialog above. */
function isWithin(href: string): boolean {
  const { pathname, searchParams } = new URL(href);
  const now = new URLSearchParams(location.search);
  return (
    pathname === location.pathname && [...searchParams].every(([name, value]) => now.get(name) === value)
  );
}
