import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../api.ts";
import { leave, unsavedIn, useUnsaved } from "../unsaved.ts";
import { Button } from "./controls.tsx";

type Values = Record<string, unknown>;

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

/** The values of something stored by the names of a form's values; what isn't there is empty. */
export const valuesOf = <V extends Values>(stored: Stored<V> | undefined, empty: V): V =>
  Object.fromEntries(Object.entries(empty).map(([name, none]) => [name, stored?.[name] ?? none])) as V;

type Stored<V> = { [Name in keyof V]?: V[Name] | null | undefined };

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

/** A value of a form, as its control sees it. */
export interface Bound<V> {
  name: string;
  value: V;
  saved: V;
  onChange(value: V): void;
  /** What is wrong with the value, or with the part of it at a path. */
  problem(path?: string): string | undefined;
}

/** Shows a value of a form, and lets the user change it. */
export type Control<V> = (bound: Bound<V>) => ComponentChildren;

/** The controls of a form, by the values they change, from top to bottom. */
export type Fields<T extends Values> = { [K in keyof T]?: Control<T[K]> | false };

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
  useLayoutEffect(() => focusInDialog(element.current), []);
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

/** Focuses the first field of a form in a dialog, whether that is open already or about to be. */
function focusInDialog(form: HTMLFormElement | null) {
  const dialog = form?.closest("dialog");
  const field = form?.querySelector<HTMLElement>(FIELDS);
  if (!dialog || !field || dialog.querySelector("form :focus")) return;
  field.autofocus = true;
  field.focus();
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

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  problem?: string | undefined;
  children(attributes: {
    id: string;
    "aria-describedby": string;
    "aria-invalid": boolean;
  }): ComponentChildren;
}

/** A field with its label, hint and problem. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": problem !== undefined })}
      <small id={`${id}-hint`}>
        <FieldProblem problem={problem} isDescription />
        {hint}
      </small>
    </div>
  );
}

interface FieldProblemProps {
  problem: string | undefined;
  /** It describes a field, and is read out when that gets the focus. */
  isDescription?: boolean;
}

export const FieldProblem = ({ problem, isDescription = false }: FieldProblemProps) =>
  problem === undefined ? null : (
    <strong class="problem" role={isDescription ? undefined : "alert"}>
      {problem}{" "}
    </strong>
  );

interface Options {
  hint?: ComponentChildren;
}

type Described = Parameters<FieldProps["children"]>[0] & { name: string };

/** A control below a label. */
const labelled =
  <V,>(
    label: string,
    { hint }: Options,
    control: (described: Described, bound: Bound<V>) => ComponentChildren,
  ): Control<V> =>
  (bound) => (
    <Field label={label} hint={hint} problem={bound.problem()}>
      {(described) => control({ ...described, name: bound.name }, bound)}
    </Field>
  );

interface TextOptions extends Options {
  type?: "text" | "password" | "email" | "datetime-local";
  autocomplete?: "username" | "current-password" | "new-password";
  autofocus?: boolean;
  required?: boolean;
}

/** A single line of text. */
export const text = (label: string, { hint, ...attributes }: TextOptions = {}) =>
  labelled<string>(label, { hint }, (described, { value, onChange }) => (
    <TextInput {...described} {...attributes} value={value} onChange={onChange} />
  ));

/** Several lines of text. */
export const long = (label: string, { hint, rows = 3 }: Options & { rows?: number } = {}) =>
  labelled<string>(label, { hint }, (described, { value, onChange }) => (
    <TextArea {...described} rows={rows} value={value} onChange={onChange} />
  ));

type Reporting<Tag extends "input" | "textarea"> = Omit<JSX.IntrinsicElements[Tag], "onChange"> & {
  onChange(value: string): void;
};

/** An input that reports its text. */
export const TextInput = ({ onChange, ...attributes }: Reporting<"input">) => (
  <input
    autocomplete="off"
    spellcheck={false}
    {...attributes}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);

/** The same, of several lines. */
export const TextArea = ({ onChange, ...attributes }: Reporting<"textarea">) => (
  <textarea {...attributes} onInput={(event) => onChange(event.currentTarget.value)} />
);

/** An option: its value and the text shown for it. */
export type Choice<V = string> = readonly [value: V, text: string];

/** Choices that are shown as their values. */
export const choicesOf = <V extends string>(values: readonly V[]): Choice<V>[] =>
  values.map((value) => [value, value]);

/** Choices from things with an ID and a name. */
export const named = <V,>(things: ReadonlyArray<{ id: V; name: string }> = []): Choice<V>[] =>
  things.map(({ id, name }) => [id, name]);

/** One of several choices. @param options.onChoose sets what else follows from the choice */
export const choice = <V,>(
  label: string,
  choices: ReadonlyArray<Choice<V>>,
  { hint, onChoose }: Options & { onChoose?(value: V): void } = {},
) =>
  labelled<V>(label, { hint }, (described, { value, onChange }) => (
    <select
      {...described}
      value={String(value)}
      onChange={({ currentTarget }) => {
        const [chosen] = choices[currentTarget.selectedIndex]!;
        onChange(chosen);
        onChoose?.(chosen);
      }}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={String(value)}>
          {text}
        </option>
      ))}
    </select>
  ));

/** A checkbox. */
export const check =
  (label: string, { hint }: Options = {}): Control<boolean> =>
  ({ name, value, problem, onChange }) => (
    <div class="field check">
      <label>
        <input
          type="checkbox"
          name={name}
          checked={value}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      <small>
        <FieldProblem problem={problem()} />
        {hint}
      </small>
    </div>
  );

/** More choices than this can be selected all at once. */
const MANY = 8;

/** A checkbox for each choice. */
export const checks =
  <V,>(label: string, choices: ReadonlyArray<Choice<V>>, { hint }: Options = {}): Control<readonly V[]> =>
  ({ value: chosen, saved, problem, onChange }) => {
    const choose = (values: readonly V[]) => onChange(inOrderOf(saved, values));
    const isAll = choices.every(([value]) => chosen.includes(value));
    return (
      <fieldset class="field checks">
        <legend>{label}</legend>
        {choices.length > MANY && (
          <Button onClick={() => choose(isAll ? [] : choices.map(([value]) => value))}>
            {isAll ? "Clear selection" : "Select all"}
          </Button>
        )}
        {choices.map(([value, text]) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ currentTarget: { checked } }) =>
                choose(checked ? [...chosen, value] : chosen.filter((other) => other !== value))
              }
            />
            <bdi>{text}</bdi>
          </label>
        ))}
        <small>
          <FieldProblem problem={problem()} />
          {hint}
        </small>
      </fieldset>
    );
  };

/** What is chosen, in the order in which it is saved: undoing a choice is then no change. */
const inOrderOf = <V,>(saved: readonly V[], chosen: readonly V[]): V[] => [
  ...saved.filter((value) => chosen.includes(value)),
  ...chosen.filter((value) => !saved.includes(value)),
];
