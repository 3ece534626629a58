import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { leave, unsavedIn, useUnsaved } from "../unsaved.ts";
import { type Problems, useProblems } from "./problems.ts";

type Fields = Record<string, unknown>;

/** The values of a form, and what is wrong with them. */
export interface FormState<T extends Fields> extends Problems {
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
export function useForm<T extends Fields>(initial: T, send: (values: T) => Promise<unknown>): FormState<T> {
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<Error | undefined>();
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
  useUnsaved(element, form);
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

const FIELDS = "input, select, textarea";

/** Scrolls to the first problem; if it is about a field, that gets the focus. */
function showProblem(form: HTMLFormElement | null) {
  const problem = form?.querySelector(".problem, [role=alert]");
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
