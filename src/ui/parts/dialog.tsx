import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useDialog } from "../address.ts";
import { asked } from "../confirm.ts";
import { discard, keepEditing, leave, question, unsavedIn } from "../unsaved.ts";
import { Button, IconButton, Messages } from "./controls.tsx";
import type { Fields } from "./fields.tsx";
import { Form, type FormProps, type FormState, useForm } from "./form.tsx";
import type { IconName } from "./words.tsx";

/** What closes a dialog, as whatever has opened it says. */
export const Closing = createContext<(() => void) | undefined>(undefined);

export const useClose = () => useContext(Closing)!;

interface DialogProps {
  title: string;
  /** What closes it; without that, and outside of a `Closing`, it can't be closed. */
  onClose?: () => void;
  isWide?: boolean | undefined;
  children: ComponentChildren;
}

/** A modal dialog. Closing it by its button or by `Esc` asks first if something is typed in it. */
export function Dialog({ title, onClose, isWide, children }: DialogProps) {
  const closing = useContext(Closing);
  const leaveTo = onClose ?? closing;
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    return () => shown?.close(); // returns the focus to where it was
  }, []);
  const close = () => leaveTo && leave(unsavedIn(element.current), leaveTo);
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
        {leaveTo && <IconButton icon="close" label="Close" onClick={close} />}
      </div>
      {children}
      <Messages isInDialog />
    </dialog>
  );
}

interface OpenerProps {
  label: string;
  /** What only screen readers say after the label, where several buttons have the same. */
  about?: string;
  icon?: IconName;
  kind?: "main" | "danger";
  /** The parameter of the address that says that it is open. */
  parameter: string;
  /** What the dialog is about, where several share the parameter. */
  of?: string;
  /** Whether the user may open it; what is typed in it stays even if that ends meanwhile. */
  isAllowed?: boolean;
  /** Shows only the icon, and says the label. */
  isBare?: boolean;
  /** The dialog. */
  children: ComponentChildren;
}

/** A button that opens a dialog, which the address holds. */
export function Opener(props: OpenerProps) {
  const { label, about, parameter, of = "true", isAllowed = true, isBare, children, ...button } = props;
  const dialog = useDialog(parameter);
  const open = () => dialog.open(of);
  return (
    <>
      {isAllowed && isBare && <IconButton icon={button.icon!} label={label} onClick={open} />}
      {isAllowed && !isBare && (
        <Button {...button} onClick={open}>
          {label}
          {about && <span class="unseen">{about}</span>}
        </Button>
      )}
      {dialog.of === of && <Closing.Provider value={dialog.close}>{children}</Closing.Provider>}
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
  leadsTo?: ((sent: NoInfer<R>, values: T) => string) | undefined;
  /** Called once it is closed, when the focus is back where it was. */
  onSent?(sent: NoInfer<R>): void;
  isWide?: boolean;
}

/** A dialog with a form, which closes or leads to another view once its values are sent. */
export function FormDialog<T extends Record<string, unknown>, R>(props: FormDialogProps<T, R>) {
  const { title, isWide, initial, fields, send, leadsTo, onSent, ...rest } = props;
  const [, navigate] = useLocation();
  const close = useClose();
  const form = useForm(initial, async (values) => {
    const sent = await send(values);
    if (leadsTo) navigate(leadsTo(sent, values), { replace: true });
    else close();
    onSent?.(sent);
  });
  return (
    <Dialog title={title} isWide={isWide}>
      <Form {...rest} form={form} fields={fields(form)} onCancel={close} />
    </Dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What will be lost. */
  children?: ComponentChildren;
  /** The label of the button, such as "Delete the flag". */
  action: string;
  /** If it fails, the dialog stays open and shows the error. */
  onConfirm(): Promise<unknown>;
  /** The path of the view that opens then. */
  leadsTo?: string;
  /** Why it can't be done as things are; empty if it can. */
  obstacle?: string | undefined;
}

/** Asks for confirmation before something is destroyed. */
export const Confirm = ({ title, children, action, onConfirm, leadsTo, obstacle }: ConfirmProps) =>
  obstacle ? (
    <Dialog title={title}>{obstacle}</Dialog>
  ) : (
    <FormDialog
      title={title}
      initial={{}}
      fields={() => ({})}
      submit={action}
      kind="danger"
      send={onConfirm}
      leadsTo={leadsTo === undefined ? undefined : () => leadsTo}
    >
      <div>{children}</div>
    </FormDialog>
  );

/** A button that asks for confirmation. */
export function ConfirmButton(props: ConfirmProps & OpenerProps) {
  const { title, children, action, onConfirm, leadsTo, obstacle, ...opener } = props;
  return (
    <Opener {...opener}>
      <Confirm {...props} />
    </Opener>
  );
}

type RemoveButtonProps = Omit<ConfirmProps & OpenerProps, "parameter"> & { of: string; parameter?: string };

/** The same in a row, to remove it. */
export const RemoveButton = (props: RemoveButtonProps) => (
  <ConfirmButton icon="remove" isBare parameter="remove" {...props} />
);

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
