import type { ComponentChildren } from "preact";
import { type Args, type Output, type ReadKey, request } from "../api.ts";
import { useLast } from "../last.ts";
import { useRead } from "../reads.ts";
import { Answer, Failure } from "./answer.tsx";
import { Dialog } from "./dialog.tsx";
import type { Version } from "./edit.tsx";

interface EditDialogProps<K extends ReadKey> {
  title: string;
  /** The read of what is edited: only a version read on its own can be told from newer ones. Undefined if it is new. */
  of: [key: K, ...args: Args<K>] | undefined;
  onClose(): void;
  isWide?: boolean;
  children(version: Version<Output<K> | undefined>): ComponentChildren;
}

/** What the form in the dialog takes. */
export interface EditProps<T> extends Version<T> {
  onClose(): void;
}

/** A dialog to create or edit something. */
export const EditDialog = <K extends ReadKey>({ of, children, ...dialog }: EditDialogProps<K>) => (
  <Dialog {...dialog}>{of ? <Current of={of}>{children}</Current> : children({ now: undefined })}</Dialog>
);

interface CurrentProps<K extends ReadKey> {
  of: [key: K, ...args: Args<K>];
  children(version: Version<Output<K>>): ComponentChildren;
}

/** What is being edited stays, even if others delete it. That the server can't be reached, the page says elsewhere. */
export function Current<K extends ReadKey>({ of, children }: CurrentProps<K>) {
  const read = useRead(...of);
  const last = useLast(read.data);
  return (
    <>
      {last !== undefined && read.error && read.error.status !== 0 && <Failure error={read.error} />}
      <Answer read={{ ...read, data: last }}>{(now) => children({ now, read: () => request(...of) })}</Answer>
    </>
  );
}
