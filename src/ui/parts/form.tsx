import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../api.ts";
import { leave, unsavedIn, useUnsaved } from "../unsaved.ts";
import type { Control, Fields, Values } from "./fields.tsx";

/** The values of a form, and what is wrong with them. */
export interface FormState<T extends Values> extends Problems {
  values: T;
  /** The values with input that isn't rendered yet. */
  latest(): T;
  /** The values that are saved; at first, those it started with. */
  saved: T;
  /** Whether any values differ from those that are saved. */
  isTyped: boolean;
  set<K extends keyof T>(name: K, value: T[K]): void;
  /** Replaces all values by saved ones. */
  replace(saved: T): void;
  /** The same, but keeps what is typed. */
  rebase(saved: T): void;
  isBusy: boolean;
  submit(): Promise<void>;
}

/**
 * The state of a form. If the server refuses the values, they are kept, and each problem is shown beside its field.
 * @param send sends the values; may throw
 */
export function useForm<T extends Values>(initial: T, send: (values: T) => Promise<unknown>): FormState<T> {
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [saved, rebase] = useState(initial);
  const latest = useRef(values);
  const setLatest = (newest: T) => {
    latest.current = newest;
    setValues(newest);
  };
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    const sent = latest.current;
    await send(sent).then(
      () => rebase((now) => (now === saved ? sent : now)), // unless it has already been replaced
      (thrown) => setError(thrown),
    );
    setBusy(false);
  };
  return {
    values,
    latest: () => latest.current,
    saved,
    isTyped: !isSame(values, saved),
    set(name, value) {
      setLatest({ ...latest.current, [name]: value });
    },
    replace(saved) {
      rebase({ ...saved });
      setLatest(saved);
    },
    rebase,
    isBusy,
    submit,
    ...useProblems(error),
  };
}

export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What is wrong with a form, by where it is shown. */
interface Problems {
  /** What is wrong with a field, to be shown there. */
  problemOf(name: string): string | undefined;
  /** What no field has shown, to be shown at the end of the form. */
  otherProblems(): string | undefined;
}

type Problem = RequestError["details"][number];

/** Each problem is shown once: beside its field, or else at the end. */
function useProblems(error: Error | undefined): Problems {
  const shown = useRef(new Set<Problem>());
  const problems = problemsIn(error);
  return {
    problemOf: (name) => {
      const own = problems.filter(({ path = "" }) => `${path}.`.startsWith(`body.${name}.`));
      for (const problem of own) shown.current.add(problem);
      return joined(own.map((problem) => withPlace(problem, name)));
    },
    otherProblems: () => joined(problems.filter((problem) => !shown.current.has(problem)).map(withName)),
  };
}

/** The details of an error, or else the error itself, whose message may begin with the property. */
const problemsIn = (error: Error | undefined): readonly Problem[] => {
  if (error === undefined) return [];
  const details = error instanceof RequestError ? error.details : [];
  if (details.some(({ path }) => path !== undefined)) return details;
  const [, path, message] = /^(body\.[\w.]+): (.+)$/s.exec(error.message) ?? [];
  return [path !== undefined && message !== undefined ? { path, message } : error];
};

/** An error that is shown beside a field. */
export const problemAt = (name: string, message: string) =>
  new RequestError(400, message, { details: [{ path: `body.${name}`, message }] });

/** A problem within a list starts with the row it is in: "number 2, name: must not be empty". */
const withPlace = ({ path = "", message }: Problem, field: string) => {
  const place = path.slice(`body.${field}.`.length).split(".");
  const row = Number(place[0] || Number.NaN);
  return Number.isNaN(row) ? message : `${[`number ${row + 1}`, ...place.slice(1)].join(", ")}: ${message}`;
};

/** A problem without a field starts with the API's name of the property. */
const withName = ({ path, message }: Problem) =>
  path === undefined ? message : `${path.replace(/^body\./, "")}: ${message}`;

const joined = (messages: ReadonlyArray<string | undefined>) =>
  messages.length === 0 ? undefined : [...new Set(messages)].join("; ");

export interface FormProps<T extends Values> {
  form: FormState<T>;
  fields?: Fields<T>;
  /** The label of the submit button. */
  submit: string;
  onCancel?: (() => void) | undefined;
  kind?: "main" | "danger";
  /** Shown above the fields. */
  above?: ComponentChildren;
  /** Shown below the fields. */
  children?: ComponentChildren;
}

export function Form<T extends Values>(props: FormProps<T>) {
  const { form, fields = {}, submit, onCancel, kind = "main", above, children } = props;
  const element = useRef<HTMLFormElement>(null);
  useUnsaved(element, form);
  useEffect(() => {
    if (!form.isBusy) showProblem(element.current);
  }, [form.isBusy]);
  const isFocused = useRef(false);
  useLayoutEffect(() => {
    isFocused.current ||= focusInDialog(element.current); // its fields may come later
  });
  const send = (event: Event) => {
    event.preventDefault();
    if (!form.isBusy) void form.submit();
  };
  return (
    <form ref={element} class="form" onSubmit={send}>
      {above}
      {Object.entries<Control<never> | false | undefined>(fields).map(
        ([name, control]) => control && <FieldOf key={name} form={form} name={name} control={control} />,
      )}
      {children}
      <OtherProblems form={form} />
      <div class="submit">
        {onCancel && (
          <button type="button" onClick={() => leave(unsavedIn(element.current), onCancel)}>
            Cancel
          </button>
        )}
        <button type="submit" class={kind} aria-disabled={form.isBusy}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface FieldOfProps<T extends Values> {
  form: FormState<T>;
  name: string;
  control: Control<never>;
}

const FieldOf = <T extends Values>({ form, name, control }: FieldOfProps<T>) =>
  control({
    name,
    value: form.values[name] as never,
    saved: form.saved[name] as never,
    onChange: (value) => form.set(name, value),
    problem: (path) => form.problemOf(path === undefined ? name : `${name}.${path}`),
  });

const FIELDS = "input, select, textarea";

/** Scrolls to the first problem; if it is about a field, that gets the focus. */
function showProblem(form: HTMLFormElement | null) {
  const problem = form?.querySelector(".problem, [role=alert]");
  problem?.scrollIntoView({ block: "nearest" });
  problem?.closest(".field, fieldset")?.querySelector<HTMLElement>(FIELDS)?.focus();
}

/**
 * Focuses the first field of a form in a dialog, whether that is open already or about to be.
 * @returns false if it has no field yet
 */
function focusInDialog(form: HTMLFormElement | null): boolean {
  const dialog = form?.closest("dialog");
  const field = form?.querySelector<HTMLElement>(FIELDS);
  if (!dialog || dialog.querySelector("form :focus")) return true;
  if (!field) return false;
  field.autofocus = true;
  field.focus();
  return true;
}

/** Rendered after the fields, which have shown their own problems by then. */
function OtherProblems<T extends Values>({ form }: { form: FormState<T> }) {
  const problems = form.otherProblems();
  return problems === undefined ? null : (
    <p class="failure" role="alert">
      {problems}
    </p>
  );
}
