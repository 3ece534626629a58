import { signal } from "@preact/signals";
import { VIEWS } from "./views.ts";

/** Whether the keyboard shortcuts are shown. */
export const isHelpOpen = signal(false);

/** How long `g` waits for its letter. */
const SEQUENCE_MS = 1500;

/** `/` to search, `g` and a letter to open a view, `?` for help. Browsers already close dialogs on `Esc`. */
export function watchKeys(navigate: (path: string) => void) {
  let pressedG = 0;
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
    const isAfterG = performance.now() - pressedG < SEQUENCE_MS;
    pressedG = event.key === "g" && !isAfterG ? performance.now() : 0;
    const view = isAfterG ? VIEWS.find(({ letter }) => letter === event.key) : undefined;
    if (view) navigate(view.path);
    else if (event.key === "?") isHelpOpen.value = true;
    else if (event.key === "/") document.querySelector<HTMLElement>("input[type=search]")?.focus();
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches("input:not([type=checkbox], [type=radio]), textarea, select");

const isDialogOpen = () => document.querySelector("dialog[open]") !== null;
