import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useDialog } from "../address.ts";
import { asked } from "../confirm.ts";
import { discard, keepEditing, leave, question, unsavedIn } from "../unsaved.ts";
import { Button, IconButton, Messages } from "./controls.tsx";
import type { Fields } from "./fields.tsx";
import { Form, type FormProps, type FormState, useForm } from "./form.tsx";
import type { IconName } from "./words.tsx";

interface DialogProps {
  title: string;
  /** Called when it is closed by its button or by `Esc`; without it the dialog can't be closed. */
  onClose?: (() => void) | undefined;
  isWide?: boolean | undefined;
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
      <Messages isInDialog />
    </dialog>
  );
}

interface OpenerProps {
  label: string;
  icon?: IconName;
  kind?: "main" | "danger";
  /** The parameter of the address that says that it is open. */
  parameter: string;
  /** What the dialog is about, where several share the parameter. */
  of?: string;
  /** Whether the user may open it; what is typed in it stays even if that ends meanwhile. */
  isAllowed?: boolean;
  /** The dialog. */
  children(onClose: () => void): ComponentChildren;
}

/** A button that opens a dialog, which the address holds. */
export function Opener(props: OpenerProps) {
  const { label, parameter, of = "true", isAllowed = true, children, ...button } = props;
  const dialog = useDialog(parameter);
  return (
    <>
      {isAllowed && (
        <Button {...button} onClick={() => dialog.open(of)}>
          {label}
        </Button>
      )}
      {dialog.of === of && children(dialog.close)}
    </>
  );
}

interface FormDialogProps<T extends Record<string, unknown>, R>
  extends Omit<FormProps<T>, "form" | "fields" | "onCancel"> {
  title: string;
  initial: T;
  /** @param form some fields follow from the values of others */
  fields(form: FormState<T>): Fields<T>;
  /** May throw: the dialog then stays open, and shows the error. */
  send(values: T): Promise<R>;
  /** The path of the view that opens then. */
  leadsTo?(sent: NoInfer<R>, values: T): string;
  onClose(): void;
  isWide?: boolean;
}

/** A dialog with a form, which closes or leads to another view once its values are sent. */
export function FormDialog<T extends Record<string, unknown>, R>(props: FormDialogProps<T, R>) {
  const { title, isWide, initial, fields, send, leadsTo, onClose, ...rest } = props;
  const [, navigate] = useLocation();
  const form = useForm(initial, async (values) => {
    const sent = await send(values);
    if (leadsTo) navigate(leadsTo(sent, values), { replace: true });
    else onClose();
  });
  return (
    <Dialog title={title} isWide={isWide} onClose={onClose}>
      <Form {...rest} form={form} fields={fields(form)} onCancel={onClose} />
    </Dialog>
  );
}

export interface ConfirmProps {
  title: string;
  /** What will be lost. */
  children?: ComponentChildren;
  /** The label of the button, such as "Delete the flag". */
  action: string;
  /** If it fails, the dialog stays open and shows the error. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
}

/** Asks for confirmation before something is destroyed. */
export const Confirm = ({ children, action, onConfirm, ...dialog }: ConfirmProps) => (
  <FormDialog {...dialog} initial={{}} fields={() => ({})} submit={action} kind="danger" send={onConfirm}>
    <div>{children}</div>
  </FormDialog>
);

interface RemoveButtonProps extends Omit<ConfirmProps, "onClose"> {
  /** Its accessible name. */
  label: string;
  /** The parameter of the address that says what is being removed. */
  parameter?: string;
  /** What it removes, as the address names it. */
  of: string;
  /** Why it can't be removed as things are; empty if it can. */
  obstacle?: string | undefined;
}

/** A button in a row that asks for confirmation, and then removes the row. */
export function RemoveButton({ label, parameter = "remove", of, obstacle, ...confirm }: RemoveButtonProps) {
  const removing = useDialog(parameter);
  const question = obstacle ? (
    <Dialog title={confirm.title} onClose={removing.close}>
      {obstacle}
    </Dialog>
  ) : (
    <Confirm {...confirm} onClose={removing.close} />
  );
  return (
    <>
      <IconButton icon="remove" label={label} onClick={() => removing.open(of)} />
      {removing.of === of && question}
    </>
  );
}

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

/** Asks before flags are changed in an environment that wants it. */
export function ChangeQuestion() {
  const question = asked.value;
  if (!question) return null;
  const { environment, sentence, answer } = question;
  return (
    <Dialog title={`Change flags in ${environment}?`} onClose={() => answer(false)}>
      <p>{sentence}</p>
      <div class="actions">
        <Button onClick={() => answer(false)}>Cancel</Button>
        <Button kind="main" onClick={() => answer(true)}>
          Change
        </Button>
      </div>
    </Dialog>
  );
}
