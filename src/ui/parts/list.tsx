import type { ComponentChildren } from "preact";
import { useDialog } from "../address.ts";
import { capitalised } from "../format.ts";
import { type Read, useLast } from "../reads.ts";
import { Button, IconButton } from "./controls.tsx";
import { Closing, RemoveButton } from "./dialog.tsx";
import { type Column, Table } from "./table.tsx";
import { Answer, Heading } from "./words.tsx";

/** What the editor of a list takes. */
export interface Edited<T> {
  /** Undefined for a new one. */
  row: T | undefined;
  title: string;
  /** The label of the submit button. */
  submit: string;
}

interface EditableListProps<D, T> {
  title: string;
  /** What a row is, such as "tag type". */
  noun: string;
  read: Read<D>;
  rows(data: D): readonly T[];
  keyOf(row: NoInfer<T>): string | number;
  /** The name of a row; its key by default. */
  nameOf?(row: NoInfer<T>): string;
  /** Shown between the heading and the list. */
  above?: ComponentChildren;
  columns: ReadonlyArray<Column<NoInfer<T>>>;
  /** Whether the user may create something, or change or delete a row. */
  may(action: "CREATE" | "UPDATE" | "DELETE", row?: NoInfer<T>): boolean;
  /** The dialog to create or edit a row. */
  editor(edited: Edited<NoInfer<T>>): ComponentChildren;
  /** Omitted if rows can't be deleted. */
  remove?(row: NoInfer<T>): Promise<unknown>;
  /** What is lost if a row is deleted. */
  loss?: string | ((row: NoInfer<T>) => string);
  /** Why a row can't be deleted as things are; empty if it can. */
  obstacle?(row: NoInfer<T>): string;
  /** Further actions on a row. */
  tools?(row: NoInfer<T>): ComponentChildren;
}

/** A list whose rows are created, edited and deleted in dialogs; the address holds which one is open. */
export function EditableList<D, T>(props: EditableListProps<D, T>) {
  const { title, noun, read, rows: rowsOf, columns, may, editor, remove, loss } = props;
  const keyOf = (row: T) => String(props.keyOf(row));
  const nameOf = props.nameOf ?? keyOf;
  const creating = useDialog("new");
  const editing = useDialog("edit");
  const tools = (row: T) => (
    <>
      {props.tools?.(row)}
      {may("UPDATE", row) && (
        <IconButton icon="edit" label={`Edit ${nameOf(row)}`} onClick={() => editing.open(keyOf(row))} />
      )}
      {remove && may("DELETE", row) && removeButton(row, remove)}
    </>
  );
  const removeButton = (row: T, remove: (row: T) => Promise<unknown>) => {
    const obstacle = props.obstacle?.(row);
    return (
      <RemoveButton
        label={`Delete ${nameOf(row)}`}
        of={keyOf(row)}
        title={obstacle ? `${nameOf(row)} can't be deleted` : `Delete ${nameOf(row)}?`}
        obstacle={obstacle}
        action={`Delete the ${noun}`}
        onConfirm={() => remove(row)}
      >
        {typeof loss === "function" ? loss(row) : loss}
      </RemoveButton>
    );
  };
  const create = { row: undefined, title: `New ${noun}`, submit: `Create the ${noun}` };
  const edit = (row: T) => ({ row, title: `${capitalised(noun)} ${nameOf(row)}`, submit: "Save" });
  return (
    <>
      <Heading title={title}>
        {may("CREATE") && (
          <Button kind="main" icon="add" onClick={() => creating.open()}>
            New {noun}
          </Button>
        )}
      </Heading>
      {props.above}
      <Answer read={read}>
        {(data) => {
          const rows = rowsOf(data);
          const at = (key: string | undefined) => rows.find((row) => keyOf(row) === key);
          return (
            <>
              <Table
                caption={title}
                rows={rows}
                keyOf={keyOf}
                empty={`No ${noun}s yet.`}
                columns={[...columns, ["Actions", tools, "tools"]]}
              />
              {creating.of && <Closing.Provider value={creating.close}>{editor(create)}</Closing.Provider>}
              {editing.of && (
                <Editing key={editing.of} row={at(editing.of)} onClose={editing.close}>
                  {(row) => editor(edit(row))}
                </Editing>
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}

interface EditingProps<T> {
  row: T | undefined;
  onClose(): void;
  children(row: T): ComponentChildren;
}

/** Keeps the editor open, with what is typed in it, even if others delete the row. */
export function Editing<T>({ row, onClose, children }: EditingProps<T>) {
  const last = useLast(row);
  return last === undefined ? null : <Closing.Provider value={onClose}>{children(last)}</Closing.Provider>;
}

/** Columns that most lists have. */
export const NAME: Column<{ name: string }> = ["Name", ({ name }) => <bdi>{name}</bdi>, "main"];

export const DESCRIPTION: Column<{ description?: string | null | undefined }> = [
  "Description",
  ({ description }) => <bdi>{description}</bdi>,
];
