import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { leave, unsavedIn } from "../unsaved.ts";
import { IconButton } from "./button.tsx";
import { Messages } from "./messages.tsx";

interface DialogProps {
  title: string;
  /** Called when it is closed by its button or by `Esc`; without it the dialog can't be closed. */
  onClose?: (() => void) | undefined;
  isWide?: boolean;
  children: ComponentChildren;
}

/** A modal dialog. Closing it asks first if something is typed in it. */
export function Dialog({ title, onClose, isWide, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    return () => shown?.close(); // returns the focus to where it was
  }, []);
  const close = () => onClose && leave(unsavedIn(element.current), onClose);
  const cancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  /** Browsers close it regardless if `Esc` is pressed repeatedly. */
  const closed = () => {
    element.current?.showModal();
    close();
  };
  return (
    <dialog
      ref={element}
      class={isWide ? "wide" : undefined}
      aria-labelledby={id}
      onCancel={cancel}
      onClose={() => element.current && closed()}
    >
      <div class="head">
        <h2 id={id}>{title}</h2>
        {onClose && <IconButton icon="close" label="Close" onClick={close} />}
      </div>
      {children}
      <Messages />
    </dialog>
  );
}
