import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Form, useForm } from "./form.tsx";

interface ConfirmProps {
  title: string;
  /** What will be gone. */
  children: ComponentChildren;
  /** What the button says, such as "Delete the flag". */
  action: string;
  /** Does it; what the server says if it refuses is shown here. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
}

/** Asks once before something is destroyed. */
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
