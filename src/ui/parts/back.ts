import { useEffect, useState } from "preact/hooks";

/** Return whether the page stays where it is; one for each open dialog. */
const guards = new Set<() => boolean>();

// Listens before the router does, which would close the dialog.
addEventListener("popstate", (event) => {
  if ([...guards].some((stays) => stays())) event.stopImmediatePropagation();
});

/**
 * Keeps the page where it is when the user goes back or forward. Browsers ask nobody, so it returns to where it was.
 * @param isNeeded whether anything would be lost
 * @param leave called instead, with what goes back after all
 */
export function useBackGuard(isNeeded: () => boolean, leave: (go: () => void) => void) {
  const [{ href, state }] = useState(() => ({ href: location.href, state: history.state }));
  useEffect(() => {
    const guard = () => {
      if (!isNeeded()) return false;
      history.pushState(state, "", href);
      leave(() => history.back());
      return true;
    };
    guards.add(guard);
    return () => guards.delete(guard);
  }, []);
}
