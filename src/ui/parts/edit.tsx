import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../api.ts";
import { Differences } from "./differences.tsx";
import { Form, type FormState, isSame, useForm } from "./form.tsx";

type Fields = Record<string, unknown>;

/** What is edited. */
export interface Version<T> {
  /** The newest version the page has; undefined for something new. */
  now: T;
  /** Fetches the current version; undefined for something new. */
  read?: (() => Promise<T>) | undefined;
}

/** A form for something that others may change at the same time. */
export interface Edit<V extends Fields> {
  form: FormState<V>;
  /** The values of others since the form was opened; undefined unless they conflict with what is typed. */
  theirs: V | undefined;
  takeTheirs(): void;
}

interface EditOptions<T extends object | undefined, V extends Fields> extends Version<T> {
  toValues(version: T): V;
  /** @param ifStill the version the change is based on */
  save(values: V, ifStill: T): Promise<unknown>;
}

/**
 * A form that follows the changes of others until something is typed. After that, input is kept, and replaces a newer
 * version only if the user has seen it.
 */
export function useEdit<T extends object | undefined, V extends Fields>(options: EditOptions<T, V>): Edit<V> {
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
async function saveOver<T extends object | undefined, V extends Fields>(
  options: Pick<EditOptions<T, V>, "read" | "toValues" | "save">,
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

interface EditFormProps<V extends Fields> {
  edit: Edit<V>;
  /** The label of the submit button while nothing conflicts. */
  submit: string;
  onCancel?: (() => void) | undefined;
  children: ComponentChildren;
}

/** The form, with any conflict above its submit button. */
export const EditForm = <V extends Fields>({ edit, submit, children, ...rest }: EditFormProps<V>) => (
  <Form form={edit.form} submit={submitOf(edit, submit)} {...rest}>
    {children}
    <Conflict edit={edit} />
  </Form>
);

/** The label of the submit button. */
export const submitOf = ({ theirs }: Pick<Edit<Fields>, "theirs">, usual: string) =>
  theirs === undefined ? usual : "Overwrite with mine";

/** Their version beside what is typed; it scrolls into view, since it changes what the submit button does. */
export function Conflict<V extends Fields>({ edit: { form, theirs, takeTheirs } }: { edit: Edit<V> }) {
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
