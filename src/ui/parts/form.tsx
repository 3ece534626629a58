import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useLeave } from "./dialog.tsx";
import { type Problems, useProblems } from "./problems.ts";
import { useTyped } from "./typed.ts";

type Fields = Record<string, unknown>;

/** The values of a form, and what is wrong with them. */
export interface FormState<T extends Fields> extends Problems {
  values: T;
  /** The values with input that isn't rendered yet. */
  latest(): T;
  set<K extends keyof T>(name: K, value: T[K]): void;
  /** Replaces all values by saved ones. */
  replace(values: T): void;
  isBusy: boolean;
  submit(): Promise<void>;
}

/**
 * The state of a form. If the server refuses the values, they are kept, and each problem is shown beside its field.
 * @param send sends the values; may throw
 */
export function useForm<T extends Fields>(initial: T, send: (values: T) => Promise<unknown>): FormState<T> {
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<Error | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [isTyped, setTyped] = useState(false);
  useTyped(isTyped);
  const latest = useRef(values);
  const setLatest = (newest: T) => {
    latest.current = newest;
    setValues(newest);
  };
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    await send(latest.current).then(
      () => setTyped(false),
      (thrown) => setError(thrown),
    );
    setBusy(false);
  };
  return {
    values,
    latest: () => latest.current,
    set(name, value) {
      setTyped(true);
      setLatest({ ...latest.current, [name]: value });
    },
    replace(saved) {
      setTyped(false);
      setLatest(saved);
    },
    isBusy,
    submit,
    ...useProblems(error),
  };
}

interface FormProps<T extends Fields> {
  form: FormState<T>;
  /** The label of the submit button. */
  submit: string;
  onCancel?: (() => void) | undefined;
  kind?: "main" | "danger";
  children: ComponentChildren;
}

export function Form<T extends Fields>({ form, submit, onCancel, kind = "main", children }: FormProps<T>) {
  const element = useRef<HTMLFormElement>(null);
  const leave = useLeave();
  useEffect(() => {
    if (!form.isBusy) showProblem(element.current);
  }, [form.isBusy]);
  useEffect(() => focusInDialog(element.current), []);
  const send = (event: Event) => {
    event.preventDefault();
    if (!form.isBusy) void form.submit();
  };
  return (
    <form ref={element} class="form" onSubmit={send}>
      {children}
      <OtherProblems form={form} />
      <footer>
        {onCancel && (
          <button type="button" onClick={() => leave(onCancel)}>
            Cancel
          </button>
        )}
        <button type="submit" class={kind} aria-disabled={form.isBusy}>
          {submit}
        </button>
      </footer>
    </form>
  );
}

const FIELDS = "input, select, textarea";

/** Scrolls to the first problem; if it is about a field, that gets the focus. */
function showProblem(form: HTMLFormElement | null) {
  const problem = form?.querySelector("[role=alert]");
  problem?.scrollIntoView({ block: "nearest" });
  problem?.closest(".field, fieldset")?.querySelector<HTMLElement>(FIELDS)?.focus();
}

/** Focuses the first field of a form in a dialog, even if the form renders after the dialog has opened. */
function focusInDialog(form: HTMLFormElement | null) {
  if (!form?.closest("dialog") || document.activeElement?.closest("form")) return;
  form.querySelector<HTMLElement>(FIELDS)?.focus();
}

/** Rendered after the fields, which have shown their own problems by then. */
function OtherProblems<T extends Fields>({ form }: { form: FormState<T> }) {
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
        <FieldProblem problem={problem} />
        {hint}
      </small>
    </div>
  );
}

export const FieldProblem = ({ problem }: { problem: string | undefined }) =>
  problem === undefined ? null : (
    <strong class="problem" role="alert">
      {problem}{" "}
    </strong>
  );
