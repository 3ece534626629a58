import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Form, useForm } from "./form.tsx";

interface ConfirmProps {
  title: string;
  /** What will be lost. */
  children: ComponentChildren;
  /** The label of the button, such as "Delete the flag". */
  action: string;
  /** If it fails, the dialog stays open and shows the error. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
}

/** Asks for confirmation before something is destroyed. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const form = useForm({}, () => onConfirm().then(onClose));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} submit={action} kind="danger" onCancel={onClose}>
        <div>{children}</div>
      </Form>
    </Dialog>
  );
}
