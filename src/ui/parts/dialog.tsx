import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBackGuard } from "./back.ts";
import { Button, IconButton } from "./button.tsx";

interface DialogProps {
  title: string;
  /** Called when it is closed by its button or by `Esc`; without it the dialog can't be closed. */
  onClose?: (() => void) | undefined;
  isWide?: boolean;
  children: ComponentChildren;
}

/** A modal dialog. Closing it, or going back, asks first if something has been typed in it. */
export function Dialog({ title, onClose, isWide, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { leave, question, onInput } = useLeaving(onClose !== undefined);
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    return () => shown?.close(); // returns the focus to where it was
  }, []);
  const close = () => onClose && leave(onClose);
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
      onInput={onInput}
    >
      {question}
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && <IconButton icon="close" label="Close" onClick={close} />}
      </header>
      <Leaving.Provider value={leave}>{children}</Leaving.Provider>
    </dialog>
  );
}

/** Does what leaves a form, such as closing its dialog; asks first if something is typed there. */
type Leave = (go: () => void) => void;

const Leaving = createContext<Leave>((go) => go());

/** What a form's Cancel button goes through. */
export const useLeave = (): Leave => useContext(Leaving);

/** Whether something is typed is known by the fields in which it was, as long as they are there. */
function useLeaving(canClose: boolean) {
  const typed = useRef(new Set<Element>());
  const [go, setGo] = useState<{ now(): void }>();
  const isTyped = () => canClose && [...typed.current].some((field) => field.isConnected);
  const leave: Leave = (now) => {
    if (isTyped()) setGo({ now });
    else now();
  };
  useBackGuard(isTyped, leave);
  const close = () => setGo(undefined);
  const discard = () => {
    typed.current.clear();
    close();
    go?.now();
  };
  const question = go && <Question key={go} onDiscard={discard} onClose={close} />;
  const onInput = (event: Event) => typed.current.add(event.target as Element);
  return { leave, question, onInput };
}

const Question = ({ onDiscard, onClose }: { onDiscard(): void; onClose(): void }) => (
  <Dialog title="Discard what you typed?" onClose={onClose}>
    <div class="actions">
      <Button onClick={onClose}>Keep editing</Button>
      <Button kind="danger" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  </Dialog>
);
