import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Button } from "./controls.tsx";

export type Values = Record<string, unknown>;

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

/** The values of something stored by the names of a form's values; what isn't there is empty. */
export const valuesOf = <V extends Values>(stored: StoredValues<V> | undefined, empty: V): V =>
  Object.fromEntries(Object.entries(empty).map(([name, none]) => [name, stored?.[name] ?? none])) as V;

export type StoredValues<V> = { [Name in keyof V]?: V[Name] | null | undefined };

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
  autocomplete?: "username" | "current-password" | "new-password" | "one-time-code";
  autofocus?: boolean;
  required?: boolean;
}

/** Of a secret, which is shown masked, and kept unless a new one is typed over it. */
export const KEPT =
  "The current value is secret, so it is not shown; it stays unless you replace the asterisks.";

/** A single line of text. */
export const text = (label: string, { hint, ...attributes }: TextOptions = {}) =>
  labelled<string>(label, { hint }, (described, { value, onChange }) => (
    <TextInput {...described} {...attributes} value={value} onChange={onChange} />
  ));

/** A moment on the reader's clock, as text. */
export const localTime = (label: string) =>
  text(label, {
    type: "datetime-local",
    required: true,
    hint: `Your time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`,
  });

/** Several lines of text. */
export const long = (label: string, { hint, rows = 3 }: Options & { rows?: number } = {}) =>
  labelled<string>(label, { hint }, (described, { value, onChange }) => (
    <TextArea {...described} rows={rows} value={value} onChange={onChange} />
  ));

type Reporting<Tag extends "input" | "textarea", Value = string> = Omit<
  JSX.IntrinsicElements[Tag],
  "onChange"
> & {
  onChange(value: Value): void;
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

/** An input that reports whether it is checked. */
export const Checkbox = ({ onChange, ...attributes }: Reporting<"input", boolean>) => (
  <input type="checkbox" {...attributes} onChange={(event) => onChange(event.currentTarget.checked)} />
);

/** The same, with its label. */
export const Tick = ({ children, onChange, ...attributes }: Reporting<"input", boolean>) => (
  <label>
    <input type="checkbox" {...attributes} onChange={(event) => onChange(event.currentTarget.checked)} />
    {children}
  </label>
);

/** An option: its value and the text shown for it. */
export type Choice<V = string> = readonly [value: V, text: string];

/** Choices that are shown as their values. */
export const choicesOf = <V extends string>(values: readonly V[]): Choice<V>[] =>
  values.map((value) => [value, value]);

/** Choices from things with an ID and a name. */
export const named = <V,>(things: ReadonlyArray<{ id: V; name: string }> = []): Choice<V>[] =>
  things.map(({ id, name }) => [id, name]);

interface SelectProps<V> {
  /** Its accessible name, unless a label outside has its ID. */
  label?: string;
  id?: string;
  name?: string;
  value: V;
  choices: ReadonlyArray<Choice<V>>;
  onChange(value: V): void;
}

/** One of several choices. */
export const Select = <V,>({ label, value, choices, onChange, ...attributes }: SelectProps<V>) => (
  <select
    {...attributes}
    value={String(value)}
    aria-label={label}
    onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex]![0])}
  >
    {choices.map(([choice, text]) => (
      <option key={choice} value={String(choice)}>
        {text}
      </option>
    ))}
  </select>
);

/** The same, in a form. @param options.onChoose sets what else follows from the choice */
export const choice = <V,>(
  label: string,
  choices: ReadonlyArray<Choice<V>>,
  { hint, onChoose }: Options & { onChoose?(value: V): void } = {},
) =>
  labelled<V>(label, { hint }, (described, { value, onChange }) => (
    <Select
      {...described}
      value={value}
      choices={choices}
      onChange={(chosen) => {
        onChange(chosen);
        onChoose?.(chosen);
      }}
    />
  ));

/** A checkbox. */
export const check =
  (label: string, { hint }: Options = {}): Control<boolean> =>
  ({ name, value, problem, onChange }) => (
    <div class="field check">
      <Tick name={name} checked={value} onChange={onChange}>
        {label}
      </Tick>
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
          <Tick
            key={value}
            checked={chosen.includes(value)}
            onChange={(isChosen) =>
              choose(isChosen ? [...chosen, value] : chosen.filter((other) => other !== value))
            }
          >
            <bdi>{text}</bdi>
          </Tick>
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
