import { discard, keepEditing, question } from "../unsaved.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before what is typed is lost. */
export function DiscardQuestion() {
  const asked = question.value;
  return asked ? (
    <Dialog title="Discard what you typed?" onClose={keepEditing}>
      <div class="actions">
        <Button onClick={keepEditing}>Keep editing</Button>
        <Button kind="danger" onClick={() => discard(asked)}>
          Discard
        </Button>
      </div>
    </Dialog>
  ) : null;
}
