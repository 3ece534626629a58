import { isHelpOpen } from "./keys.ts";
import { Dialog } from "./parts/dialog.tsx";
import { VIEWS } from "./views.ts";

const KEYS = [
  ["/", "search"],
  ["?", "this list"],
  ["Esc", "close the dialog"],
] as const;

/** The dialog that lists the keyboard shortcuts. */
export function Help() {
  if (!isHelpOpen.value) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  const viewKeys = VIEWS.flatMap(({ letter, title }) => (letter ? [[letter, title] as const] : []));
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        {viewKeys.map(([letter, title]) => (
          <div key={letter}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
