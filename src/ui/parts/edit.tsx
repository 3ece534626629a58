import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Args, type Output, type ReadKey, RequestError, request } from "../api.ts";
import { tell } from "../messages.ts";
import { useLast, useRead } from "../reads.ts";
import { Dialog, useClose } from "./dialog.tsx";
import { Differences } from "./differences.tsx";
import type { Fields, Values } from "./fields.tsx";
import { Form, type FormProps, type FormState, isSame, useForm } from "./form.tsx";
import { Answer, Failure } from "./words.tsx";

/** A form for something that others may change at the same time. */
interface Edit<V extends Values> {
  form: FormState<V>;
  /** The values of others since the form was opened; undefined unless they conflict with what is typed. */
  theirs: V | undefined;
  takeTheirs(): void;
}

interface EditOptions<T extends object | undefined, V extends Values> {
  /** The newest version the page has; undefined for something new. */
  now: T;
  /** Fetches the current version; undefined for something new. */
  read?: (() => Promise<T>) | undefined;
  toValues(version: T): V;
  /** @param ifStill the version the change is based on */
  save(values: V, ifStill: T): Promise<unknown>;
}

/**
 * A form that follows the changes of others until something is typed. After that, input is kept, and replaces a newer
 * version only if the user has seen it.
 */
function useEdit<T extends object | undefined, V extends Values>(options: EditOptions<T, V>): Edit<V> {
  const { now, toValues } = options;
  const [base, setBase] = useState(now);
  const isSaved = useRef(false);
  const form = useForm(toValues(now), async (values) => {
    await saveOver(options, values, theirs === undefined ? base : now);
    isSaved.current = true; // the next version is the result of this save
  });
  const { values, saved, isTyped, isBusy, replace, rebase } = form;
  const isNews = !isSaved.current && ![saved, values].some((known) => isSame(toValues(now), known));
  const theirs = isTyped && isNews && !isBusy ? toValues(now) : undefined;
  useEffect(() => {
    const isOutdated = form.latest() !== values; // something was typed after this render, and the next one decides
    if (now === base || theirs || isBusy || isOutdated) return;
    isSaved.current = false;
    setBase(now);
    if (isTyped) rebase(toValues(now));
    else replace(toValues(now));
  }, [now, theirs, isBusy, values]);
  const takeTheirs = () => {
    setBase(now);
    replace(toValues(now));
  };
  return { form, theirs, takeTheirs };
}

/** Saves, also over a newer version that differs only in what the form doesn't show. */
async function saveOver<T extends object | undefined, V extends Values>(
  options: EditOptions<T, V>,
  values: V,
  seen: T,
): Promise<void> {
  const { read, toValues, save } = options;
  try {
    await save(values, seen);
  } catch (error) {
    if (!read || !(error instanceof RequestError && error.status === 412)) throw error;
    const newest = await read();
    if (!isSame(toValues(newest), toValues(seen))) throw error;
    await saveOver(options, values, newest);
  }
}

interface EditFormProps<V extends Values> extends Omit<FormProps<V>, "form" | "kind"> {
  edit: Edit<V>;
}

/** The form, with any conflict above its submit button. */
const EditForm = <V extends Values>(props: EditFormProps<V>) => {
  const { edit, submit, children, ...rest } = props;
  return (
    <Form {...rest} form={edit.form} submit={edit.theirs === undefined ? submit : "Overwrite with mine"}>
      {children}
      <Conflict edit={edit} />
    </Form>
  );
};

/** Their version beside what is typed; it scrolls into view, since it changes what the submit button does. */
function Conflict<V extends Values>({ edit: { form, theirs, takeTheirs } }: { edit: Edit<V> }) {
  const element = useRef<HTMLElement>(null);
  const isConflict = theirs !== undefined;
  useEffect(() => element.current?.scrollIntoView({ block: "nearest" }), [isConflict]);
  if (!isConflict) return null;
  return (
    <section ref={element} role="alert">
      <p>
        Someone else has changed this in the meantime.{" "}
        <button type="button" onClick={takeTheirs}>
          Discard mine
        </button>
      </p>
      <Differences before={theirs} after={form.values} titles={["Current", "Yours"]} />
    </section>
  );
}

type Of<K extends ReadKey> = [key: K, ...args: Args<K>];

interface EditorProps<K extends ReadKey, V extends Values> {
  title: string;
  /** The read of what is edited: only a version read on its own can be told from newer ones. Undefined if it is new. */
  of: Of<K> | undefined;
  toValues(now: Output<K> | undefined): V;
  /** @param values those of the form, from which some fields follow */
  fields(form: FormState<V>, now: Output<K> | undefined): Fields<V>;
  above?: ComponentChildren;
  below?: ComponentChildren;
  /** Omitted if something like it can't be created here. */
  create?(values: V): Promise<unknown>;
  /** @param now the version the change is based on, to be sent with it */
  update(values: V, now: Output<K> & object): Promise<unknown>;
  /** The label of the submit button. */
  submit: string;
  isWide?: boolean | undefined;
}

interface EditSectionProps<T extends object, V extends Values>
  extends Pick<EditOptions<T, V>, "now" | "toValues"> {
  title: string;
  /** Shown above the fields. */
  above?: ComponentChildren;
  read(): Promise<T>;
  fields: Fields<V>;
  update(values: V, ifStill: T): Promise<unknown>;
}

/** The same, as a part of a view, which stays. */
export function EditSection<T extends object, V extends Values>(props: EditSectionProps<T, V>) {
  const { title, above, fields, update, ...options } = props;
  const save = (values: V, ifStill: T) => update(values, ifStill).then(() => tell("Saved"));
  return (
    <section>
      <h2>{title}</h2>
      <EditForm edit={useEdit({ ...options, save })} above={above} fields={fields} submit="Save" />
    </section>
  );
}

/** A dialog to create or edit something, which closes once it is saved. */
export const Editor = <K extends ReadKey, V extends Values>(props: EditorProps<K, V>) => {
  const { title, of, isWide } = props;
  return (
    <Dialog title={title} isWide={isWide}>
      {of ? <EditCurrent {...props} of={of} /> : <EditVersion {...props} now={undefined} />}
    </Dialog>
  );
};

/** What is being edited stays, even if others delete it. That the server can't be reached, the page says elsewhere. */
function EditCurrent<K extends ReadKey, V extends Values>(
  props: Omit<EditorProps<K, V>, "of"> & { of: Of<K> },
) {
  const read = useRead(...props.of);
  const last = useLast(read.data);
  return (
    <>
      {last !== undefined && read.error && read.error.status !== 0 && <Failure error={read.error} />}
      <Answer read={{ ...read, data: last }}>{(now) => <EditVersion<K, V> {...props} now={now} />}</Answer>
    </>
  );
}

function EditVersion<K extends ReadKey, V extends Values>(
  props: EditorProps<K, V> & { now: Output<K> | undefined },
) {
  const { of, now, toValues, fields, above, below, create, update, submit } = props;
  const close = useClose();
  const edit = useEdit<(Output<K> & object) | undefined, V>({
    now: now as (Output<K> & object) | undefined,
    read: of && (async () => (await request(...of)) as Output<K> & object),
    toValues,
    async save(values, ifStill) {
      await (ifStill ? update(values, ifStill) : create?.(values));
      close();
    },
  });
  return (
    <EditForm edit={edit} fields={fields(edit.form, now)} above={above} submit={submit} onCancel={close}>
      {below}
    </EditForm>
  );
}
