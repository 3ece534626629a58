import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { RequestError } from "../api.ts";
import { Failure } from "./answer.tsx";

type Fields = Record<string, unknown>;

/** What is typed, and what the server says of it. */
export interface FormState<T extends Fields> {
  values: T;
  set<K extends keyof T>(name: K, value: T[K]): void;
  error: Error | undefined;
  isBusy: boolean;
  submit(): Promise<void>;
  /** What is wrong with one field. */
  problemOf(name: string): string | undefined;
}

/**
 * The state of a form. What is typed stays if the server refuses it, and what it says stands beside the field it is
 * about.
 * @param send asks the server; it may throw
 */
export function useForm<T extends Fields>(initial: T, send: (values: T) => Promise<unknown>): FormState<T> {
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<Error | undefined>();
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(values);
  latest.current = values;
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    await send(latest.current).catch((thrown) => setError(thrown));
    setBusy(false);
  };
  return {
    values,
    set: (name, value) => setValues((before) => ({ ...before, [name]: value })),
    error,
    isBusy,
    submit,
    problemOf: (name) => problemIn(error, name),
  };
}

/** What details say of a property of the body, without its path. */
function problemIn(error: Error | undefined, name: string): string | undefined {
  if (!(error instanceof RequestError)) return undefined;
  const [first] = /^body\.([\w.]+): /.exec(error.message) ?? [];
  const detail = error.details.find(
    ({ path = "" }) => path === `body.${name}` || path.startsWith(`body.${name}.`),
  );
  if (detail?.message) return detail.message;
  return first === `body.${name}: ` ? error.message.slice(first.length) : undefined;
}

interface FormProps<T extends Fields> {
  form: FormState<T>;
  /** What the button says. */
  submit: string;
  onCancel?: (() => void) | undefined;
  kind?: "main" | "danger";
  children: ComponentChildren;
}

export const Form = <T extends Fields>({ form, submit, onCancel, kind = "main", children }: FormProps<T>) => (
  <form
    class="form"
    onSubmit={(event) => {
      event.preventDefault();
      void form.submit();
    }}
  >
    {children}
    {form.error && <Failure error={form.error} />}
    <footer>
      {onCancel && (
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      )}
      <button type="submit" class={kind} disabled={form.isBusy}>
        {submit}
      </button>
    </footer>
  </form>
);

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

/** A label, what is typed, what it is for, and what is wrong with it. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": problem !== undefined })}
      <small id={`${id}-hint`}>
        {problem !== undefined && <strong class="problem">{problem} </strong>}
        {hint}
      </small>
    </div>
  );
}
