import type { ComponentChildren } from "preact";
import { useDialog } from "../address.ts";
import type { ChangeKey, Input, Output, ReadKey } from "../api.ts";
import { capitalised } from "../format.ts";
import { change, type Read, useLast } from "../reads.ts";
import { Button, IconButton } from "./controls.tsx";
import { Closing, RemoveButton } from "./dialog.tsx";
import { Editor } from "./edit.tsx";
import type { Fields, Values } from "./fields.tsx";
import type { FormState } from "./form.tsx";
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

/** The path of one row in the API, which ends in its key; rows are created at the path before. */
type RowPath = {
  [K in ChangeKey]: K extends `DELETE ${infer P extends `${string}/:${string}`}` ? P : never;
}[ChangeKey];

type BodyOf<K> = Input<Extract<ChangeKey, K>> extends { body: infer B } ? B : never;
type Created<P> = P extends `${infer All}/:${string}` ? Output<Extract<ChangeKey, `POST ${All}`>> : never;
type Now<P extends string> = Output<Extract<ReadKey, `GET ${P}`>> | undefined;

/** How a row is edited that the API reads, replaces and deletes at its path. */
interface Edit<T, P extends RowPath, V extends Values> {
  toValues(now: Now<P>): V;
  /** @param row undefined for a new one */
  fields(form: FormState<V>, row: T | undefined, now: Now<P>): Fields<V>;
  /** What is sent; the values by default. */
  toBody?(values: V, isNew: boolean): BodyOf<`PUT ${P}`>;
  below?(row: T | undefined): ComponentChildren;
  onCreated?(created: Created<P>): void;
  isWide?: boolean;
}

interface EditableListProps<D, T, P extends RowPath, V extends Values> {
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
  /** Where rows are read, changed and deleted; omitted if that is not possible there. */
  path?: P;
  edit?: Edit<NoInfer<T>, P, V>;
  /** The dialog to create or edit a row in another way. */
  editor?(edited: Edited<NoInfer<T>>): ComponentChildren;
  /** What is lost if a row is deleted. */
  loss?: string | ((row: NoInfer<T>) => string);
  /** Why a row can't be deleted as things are; empty if it can. */
  obstacle?(row: NoInfer<T>): string;
  /** Further actions on a row. */
  tools?(row: NoInfer<T>): ComponentChildren;
}

/** A list whose rows are created, edited and deleted in dialogs; the address holds which one is open. */
export function EditableList<D, T, P extends RowPath, V extends Values>(
  props: EditableListProps<D, T, P, V>,
) {
  const { title, noun, read, rows: rowsOf, columns, may, path, edit, loss } = props;
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
      {path && loss && may("DELETE", row) && removeButton(row, path)}
    </>
  );
  const removeButton = (row: T, path: P) => {
    const obstacle = props.obstacle?.(row);
    return (
      <RemoveButton
        label={`Delete ${nameOf(row)}`}
        of={keyOf(row)}
        title={obstacle ? `${nameOf(row)} can't be deleted` : `Delete ${nameOf(row)}?`}
        obstacle={obstacle}
        action={`Delete the ${noun}`}
        onConfirm={() => send(`DELETE ${path}`, { params: paramsOf(path, keyOf(row)) })}
      >
        {typeof loss === "function" ? loss(row) : loss}
      </RemoveButton>
    );
  };
  const editor = (row: T | undefined) => {
    const dialog = row
      ? { title: `${capitalised(noun)} ${nameOf(row)}`, submit: "Save" }
      : { title: `New ${noun}`, submit: `Create the ${noun}` };
    if (!path || !edit) return props.editor?.({ row, ...dialog });
    return <RowEditor {...dialog} path={path} edit={edit} row={row} of={row && keyOf(row)} />;
  };
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
              {creating.of && <Closing.Provider value={creating.close}>{editor(undefined)}</Closing.Provider>}
              {editing.of && (
                <Editing key={editing.of} row={at(editing.of)} onClose={editing.close}>
                  {editor}
                </Editing>
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}

/** The types of the operations follow from the path, as those of `EditableListProps` say. */
const send = change as unknown as (key: string, input: object) => Promise<unknown>;

const KEY = /\/:(\w+)$/;

const paramsOf = (path: string, key: string) => ({ [KEY.exec(path)![1]!]: key });

interface RowEditorProps<T, P extends RowPath, V extends Values> {
  title: string;
  submit: string;
  path: P;
  edit: Edit<T, P, V>;
  row: T | undefined;
  /** Its key. */
  of: string | undefined;
}

function RowEditor<T, P extends RowPath, V extends Values>(props: RowEditorProps<T, P, V>) {
  const { path, edit, row, of, ...dialog } = props;
  const { toValues, fields, toBody = (values: V) => values, below, onCreated, isWide } = edit;
  const params = of === undefined ? {} : paramsOf(path, of);
  return (
    <Editor<ReadKey, V>
      {...dialog}
      isWide={isWide}
      of={row && ([`GET ${path}`, { params }] as never)}
      toValues={(now) => toValues(now as Now<P>)}
      fields={(form, now) => fields(form, row, now as Now<P>)}
      below={below?.(row)}
      create={async (values) => {
        const created = await send(`POST ${path.replace(KEY, "")}`, { body: toBody(values, true) });
        onCreated?.(created as Created<P>);
      }}
      update={(values, ifStill) => send(`PUT ${path}`, { params, body: toBody(values, false), ifStill })}
    />
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
