import { signal } from "@preact/signals";
import { VIEWS } from "./views.ts";

/** Whether the list of keys is open. */
export const isHelpOpen = signal(false);

/** How long `g` waits for its letter. */
const PATIENCE_MS = 1500;

/** `/` to search, `g` and a letter to go, `?` for help; what is open closes by `Esc`, as browsers have it. */
export function watchKeys(navigate: (path: string) => void) {
  let pressedG = 0;
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isAsked()) return;
    const isSecond = performance.now() - pressedG < PATIENCE_MS;
    pressedG = event.key === "g" && !isSecond ? performance.now() : 0;
    const view = isSecond ? VIEWS.find(({ letter }) => letter === event.key) : undefined;
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

const isAsked = () => document.querySelector("dialog[open]") !== null;
