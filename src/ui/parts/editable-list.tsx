import type { ComponentChildren } from "preact";
import { useDialog } from "../address.ts";
import { useLast } from "../last.ts";
import type { Read } from "../reads.ts";
import { Answer } from "./answer.tsx";
import { Button, IconButton } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { Dialog } from "./dialog.tsx";
import { type Column, Table } from "./table.tsx";
import { Heading } from "./words.tsx";

/** The row being edited; undefined for a new one. */
interface Edited<T> {
  row: T | undefined;
  onClose(): void;
}

interface Removal<T> {
  isAllowed(row: T): boolean;
  /** Why a row can't be removed as things are; undefined if it can. */
  obstacleTo?(row: T): ComponentChildren;
  remove(row: T): Promise<unknown>;
  /** What is lost if a row is deleted. */
  lossOf(row: T): ComponentChildren;
}

interface EditableListProps<T> {
  title: string;
  /** What a row is, such as "tag type". */
  noun: string;
  read: Read<readonly T[]>;
  keyOf(row: T): string;
  /** The name of a row; its key by default. */
  nameOf?(row: T): string;
  /** Shown between the heading and the list. */
  above?: ComponentChildren;
  columns: ReadonlyArray<Column<T> | false>;
  /** The dialog to create or edit a row. */
  editor(edited: Edited<T>): ComponentChildren;
  mayCreate: boolean;
  /** Omitted if rows can't be edited. */
  mayChange?(row: T): boolean;
  /** Omitted if rows can't be deleted. */
  removal?: Removal<T>;
  /** Further actions on a row. */
  tools?(row: T): ComponentChildren;
}

/** A list whose rows are created, edited and deleted in dialogs; the address holds which one is open. */
export function EditableList<T>(props: EditableListProps<T>) {
  const { title, noun, read, keyOf, columns, editor, mayCreate, mayChange, removal } = props;
  const { nameOf = keyOf } = props;
  const creating = useDialog("new");
  const editing = useDialog("edit");
  const removing = useDialog("remove");
  const tools = (row: T) => (
    <>
      {props.tools?.(row)}
      {mayChange?.(row) && (
        <IconButton icon="edit" label={`Edit ${nameOf(row)}`} onClick={() => editing.open(keyOf(row))} />
      )}
      {removal?.isAllowed(row) && (
        <IconButton icon="remove" label={`Delete ${nameOf(row)}`} onClick={() => removing.open(keyOf(row))} />
      )}
    </>
  );
  return (
    <>
      <Heading title={title}>
        {mayCreate && (
          <Button kind="main" icon="add" onClick={() => creating.open()}>
            New {noun}
          </Button>
        )}
      </Heading>
      {props.above}
      <Answer read={read}>
        {(rows) => {
          const removed = rows.find((row) => keyOf(row) === removing.of);
          return (
            <>
              <Table
                caption={title}
                rows={rows}
                keyOf={keyOf}
                empty={`No ${noun}s yet.`}
                columns={[...columns, { title: "Actions", kind: "tools", cell: tools }]}
              />
              {creating.of && editor({ row: undefined, onClose: creating.close })}
              {editing.of && (
                <Editing key={editing.of} row={rows.find((row) => keyOf(row) === editing.of)}>
                  {(row) => editor({ row, onClose: editing.close })}
                </Editing>
              )}
              {removal && removed && (
                <Remove
                  row={removed}
                  name={nameOf(removed)}
                  noun={noun}
                  removal={removal}
                  onClose={removing.close}
                />
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}

interface RemoveProps<T> {
  row: T;
  name: string;
  noun: string;
  removal: Removal<T>;
  onClose(): void;
}

/** Asks before a row is removed, or says why it can't be. */
function Remove<T>({ row, name, noun, removal, onClose }: RemoveProps<T>) {
  const obstacle = removal.obstacleTo?.(row);
  if (obstacle !== undefined)
    return (
      <Dialog title={`${name} can't be deleted`} onClose={onClose}>
        {obstacle}
      </Dialog>
    );
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete the ${noun}`}
      onConfirm={() => removal.remove(row)}
      onClose={onClose}
    >
      {removal.lossOf(row)}
    </Confirm>
  );
}

interface EditingProps<T> {
  row: T | undefined;
  children(row: T): ComponentChildren;
}

/** Keeps the editor open, with what is typed in it, even if others delete the row. */
export function Editing<T>({ row, children }: EditingProps<T>) {
  const last = useLast(row);
  return last === undefined ? null : children(last);
}
