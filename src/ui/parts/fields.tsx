import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Field, FieldProblem, type FormState } from "./form.tsx";

/** The names of those fields of a form whose values have a type. */
type NameOf<T, V> = { [K in keyof T]: T[K] extends V ? K : never }[keyof T] & string;

interface Common<T extends Record<string, unknown>, V> {
  form: FormState<T>;
  name: NameOf<T, V>;
  label: string;
  hint?: ComponentChildren;
  isRequired?: boolean;
}

interface TextProps<T extends Record<string, unknown>> extends Common<T, string> {
  type?: "text" | "password" | "email" | "number" | "datetime-local" | "search" | "url";
  autocomplete?: string;
  autofocus?: boolean;
  placeholder?: string;
}

/** A single line of text. */
export function TextField<T extends Record<string, unknown>>({
  form,
  name,
  label,
  hint,
  ...rest
}: TextProps<T>) {
  const { type = "text", isRequired = false, autofocus = false, autocomplete = "off", placeholder } = rest;
  return (
    <Field label={label} hint={hint} problem={form.problemOf(name)}>
      {(attributes) => (
        <input
          {...attributes}
          type={type}
          name={name}
          required={isRequired}
          autocomplete={autocomplete as "off"}
          autofocus={autofocus}
          placeholder={placeholder}
          spellcheck={false}
          value={form.values[name] as string}
          onInput={(event) => form.set(name, event.currentTarget.value as T[typeof name])}
        />
      )}
    </Field>
  );
}

/** Several lines of text. */
export const LongField = <T extends Record<string, unknown>>({
  form,
  name,
  label,
  hint,
  rows = 3,
}: Common<T, string> & { rows?: number }) => (
  <Field label={label} hint={hint} problem={form.problemOf(name)}>
    {(attributes) => (
      <textarea
        {...attributes}
        name={name}
        rows={rows}
        value={form.values[name] as string}
        onInput={(event) => form.set(name, event.currentTarget.value as T[typeof name])}
      />
    )}
  </Field>
);

/** An option: its value and the text shown for it. */
export type Choice = readonly [value: string, text: string];

/** Choices that are shown as their values. */
export const choicesOf = (values: readonly string[]): Choice[] => values.map((value) => [value, value]);

interface ChoiceProps<T extends Record<string, unknown>> extends Common<T, string> {
  choices: readonly Choice[];
  /** Sets what else follows from the choice. */
  onChoose?(value: string): void;
}

export const ChoiceField = <T extends Record<string, unknown>>({
  form,
  name,
  label,
  hint,
  choices,
  onChoose,
}: ChoiceProps<T>) => (
  <Field label={label} hint={hint} problem={form.problemOf(name)}>
    {(attributes) => (
      <select
        {...attributes}
        name={name}
        value={form.values[name] as string}
        onChange={({ currentTarget: { value } }) => {
          form.set(name, value as T[typeof name]);
          onChoose?.(value);
        }}
      >
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const CheckField = <T extends Record<string, unknown>>({
  form,
  name,
  label,
  hint,
}: Common<T, boolean>) => (
  <div class="field check">
    <label>
      <input
        type="checkbox"
        name={name}
        checked={form.values[name] as boolean}
        onChange={(event) => form.set(name, event.currentTarget.checked as T[typeof name])}
      />
      {label}
    </label>
    <small>
      <FieldProblem problem={form.problemOf(name)} />
      {hint}
    </small>
  </div>
);

/** What is chosen, in the order in which it is saved: undoing a choice is then no change. */
export const inOrderOf = <V,>(saved: readonly V[], chosen: readonly V[]): V[] => [
  ...saved.filter((value) => chosen.includes(value)),
  ...chosen.filter((value) => !saved.includes(value)),
];

/** More choices than this can be selected all at once. */
const MANY = 8;

/** A checkbox for each choice. */
export function ChecksField<T extends Record<string, unknown>>({
  form,
  name,
  label,
  hint,
  choices,
}: Common<T, readonly string[]> & { choices: readonly Choice[] }) {
  const chosen = form.values[name] as readonly string[];
  const choose = (values: readonly string[]) =>
    form.set(name, inOrderOf(form.saved[name] as readonly string[], values) as T[typeof name]);
  const toggle = (value: string, isChosen: boolean) =>
    choose(isChosen ? [...chosen, value] : chosen.filter((other) => other !== value));
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
            onChange={(event) => toggle(value, event.currentTarget.checked)}
          />
          {text}
        </label>
      ))}
      <small>
        <FieldProblem problem={form.problemOf(name)} />
        {hint}
      </small>
    </fieldset>
  );
}
