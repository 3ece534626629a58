import type { AroundNavHandler } from "wouter-preact";
import { leave, unsavedOutside } from "./unsaved.ts";

/** The history state of an entry that a dialog has added. */
export const OPENED = "opened";

/** The history state of such an entry once the dialog is closed; Forward leads no further than before it. */
export const CLOSED = "closed";

/** Where the page is; for a moment, Back and Forward have already left it. */
let here = location.href;

/**
 * What every link and every other navigation within the page goes through: it asks before it loses what is typed. The
 * form that is being saved may replace its own address.
 */
export const navigateUnlessTyped: AroundNavHandler = (navigate, to, options) => {
  const forms = unsavedOutside(new URL(to, here));
  const isDone = (form: (typeof forms)[number]) => options?.replace && form.isSending;
  leave(
    forms.filter((form) => !isDone(form)),
    () => {
      navigate(to, options);
      here = location.href;
    },
  );
};

// Before the router does, which would show where Back or Forward lead.
addEventListener("popstate", (event) => {
  if (isLed()) here = location.href;
  else event.stopImmediatePropagation();
});

/** Whether Back or Forward lead to where the browser is now. They can't be prevented, only followed by a way back. */
function isLed(): boolean {
  if (history.state === CLOSED) {
    history.back();
    return false;
  }
  const there = new URL(location.href);
  const forms = unsavedOutside(there);
  if (forms.length === 0) return true;
  history.pushState(isStepFrom(there, new URL(here)) ? OPENED : null, "", here);
  leave(forms, () => history.back());
  return false;
}

/** Whether an address is that of another with a dialog open above, so that going back closes the dialog. */
function isStepFrom(below: URL, { pathname, searchParams }: URL): boolean {
  const added = [...searchParams].filter(([name, value]) => below.searchParams.get(name) !== value);
  return (
    pathname === below.pathname && added.length === 1 && searchParams.size === below.searchParams.size + 1
  );
}
