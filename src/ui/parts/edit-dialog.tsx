import type { ComponentChildren } from "preact";
import type { Args, Output, ReadKey } from "../api.ts";
import { useLast } from "../last.ts";
import { type Read, useRead } from "../reads.ts";
import { Answer, Failure } from "./answer.tsx";
import { Dialog } from "./dialog.tsx";

interface EditDialogProps<K extends ReadKey> {
  title: string;
  /** The read of what is edited: only a version read on its own can be told from newer ones. Undefined if it is new. */
  of: [key: K, ...args: Args<K>] | undefined;
  onClose(): void;
  isWide?: boolean;
  children(now: Output<K> | undefined): ComponentChildren;
}

/** A dialog to create or edit something. */
export const EditDialog = <K extends ReadKey>({ of, children, ...dialog }: EditDialogProps<K>) => (
  <Dialog {...dialog}>{of ? <Current of={of}>{children}</Current> : children(undefined)}</Dialog>
);

interface CurrentProps<K extends ReadKey> {
  of: [key: K, ...args: Args<K>];
  children(now: Output<K>): ComponentChildren;
}

/** What is being edited stays, even if others delete it. That the server can't be reached, the page says elsewhere. */
export function Current<K extends ReadKey>({ of, children }: CurrentProps<K>) {
  const read: Read<Output<K>> = useRead(...of);
  const last = useLast(read.data);
  if (last === undefined) return <Answer read={read}>{children}</Answer>;
  return (
    <>
      {read.error && read.error.status !== 0 && <Failure error={read.error} />}
      {children(last)}
    </>
  );
}
