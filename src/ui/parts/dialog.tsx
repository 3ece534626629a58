import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

interface DialogProps {
  title: string;
  /** Called when it is closed by its button or by `Esc`; without it there is no way past it. */
  onClose?: (() => void) | undefined;
  isWide?: boolean;
  children: ComponentChildren;
}

/** Something above the view; what is behind can't be reached meanwhile. */
export function Dialog({ title, onClose, isWide, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = element.current;
    shown?.showModal();
    return () => shown?.close(); // which gives the focus back to where it was
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose?.();
  };
  /** Browsers close it without asking where `Esc` is pressed again and again. */
  const closed = () => {
    if (onClose) onClose();
    else element.current?.showModal();
  };
  return (
    <dialog
      ref={element}
      class={isWide ? "wide" : undefined}
      aria-labelledby={id}
      onCancel={cancel}
      onClose={() => element.current && closed()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
