import { useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "../api.ts";
import { Differences } from "./differences.tsx";
import { type FormState, useForm } from "./form.tsx";

type Fields = Record<string, unknown>;

/** A form for what others may change at the same time. */
export interface Edit<V extends Fields> {
  form: FormState<V>;
  /** What others have made of it since the form began, if that is not what is typed. */
  theirs: V | undefined;
  takeTheirs(): void;
}

interface EditOptions<T extends object, V extends Fields> {
  /** What is there, as far as the page knows. */
  now: T;
  /** Asks what is there. */
  read(): Promise<T>;
  toValues(from: T): V;
  /** @param ifStill what the change is made of */
  save(values: V, ifStill: T): Promise<unknown>;
}

/**
 * As long as nothing is typed, the form shows what others make of it. What is typed stays, and is saved only over what
 * whoever types has seen.
 */
export function useEdit<T extends object, V extends Fields>(options: EditOptions<T, V>): Edit<V> {
  const { now, toValues } = options;
  const [base, setBase] = useState(now);
  const sent = useRef<V | undefined>(undefined);
  const form = useForm(toValues(now), async (values) => {
    await saveOver(options, values, theirs === undefined ? base : now);
    sent.current = values; // what comes next is what became of it
  });
  const { values, isBusy, replace } = form;
  const typed = sent.current ?? toValues(base);
  const isTyped = !isSame(values, typed);
  const isNews = !sent.current && ![typed, values].some((known) => isSame(toValues(now), known));
  const theirs = isTyped && isNews && !isBusy ? toValues(now) : undefined;
  useEffect(() => {
    if (now === base || theirs || isBusy) return;
    sent.current = undefined;
    setBase(now);
    if (!isTyped) replace(toValues(now));
  }, [now, theirs, isBusy]);
  const takeTheirs = () => {
    setBase(now);
    replace(toValues(now));
  };
  return { form, theirs, takeTheirs };
}

/** Saves; a newer version that differs elsewhere only is no reason not to. */
async function saveOver<T extends object, V extends Fields>(
  { read, toValues, save }: EditOptions<T, V>,
  values: V,
  seen: T,
): Promise<void> {
  try {
    await save(values, seen);
  } catch (error) {
    if (!(error instanceof RequestError && error.status === 412)) throw error;
    const newest = await read();
    if (!isSame(toValues(newest), toValues(seen))) throw error;
    await saveOver({ read, toValues, save } as EditOptions<T, V>, values, newest);
  }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What the button of such a form says. */
export const submitOf = ({ theirs }: Pick<Edit<Fields>, "theirs">, usual: string) =>
  theirs === undefined ? usual : "Overwrite with mine";

/** What others have made of it beside what is typed. */
export const Conflict = <V extends Fields>({ edit: { form, theirs, takeTheirs } }: { edit: Edit<V> }) =>
  theirs === undefined ? null : (
    <section class="conflict" role="alert">
      <p>
        Someone else has changed it in the meantime. On the left is what it is now, on the right is yours.{" "}
        <button type="button" onClick={takeTheirs}>
          Discard mine
        </button>
      </p>
      <Differences before={theirs} after={form.values} />
    </section>
  );
