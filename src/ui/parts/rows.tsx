import type { ComponentChildren } from "preact";
import { Button, IconButton } from "./button.tsx";
import { FieldProblem, type FormState } from "./form.tsx";
import { useNewRow } from "./new-row.ts";

interface RowsProps<T extends Record<string, unknown>, K extends keyof T & string, R> {
  form: FormState<T>;
  name: K;
  label: string;
  /** What a row is called, such as "value". */
  noun: string;
  /** The initial value of a new row. */
  fresh: R;
  /** The fields of a row; `set` merges changes into it. */
  children(row: R, set: (changed: Partial<R>) => void, label: string): ComponentChildren;
}

/** A list field, edited row by row. */
export function RowsField<R, T extends Record<K, readonly R[]>, K extends keyof T & string>({
  form,
  name,
  label,
  noun,
  fresh,
  children,
}: RowsProps<T, K, R>) {
  const rows = form.values[name] as readonly R[];
  const setRows = (changed: readonly R[]) => form.set(name, changed as T[K]);
  const [list, announce] = useNewRow(rows.length, ".row");
  const add = () => {
    announce();
    setRows([...rows, fresh]);
  };
  const problem = form.problemOf(name);
  return (
    <fieldset ref={list} class="field rows">
      <legend>{label}</legend>
      {rows.map((row, index) => (
        <div class="row" key={index}>
          {children(
            row,
            (changed) => setRows(rows.with(index, { ...row, ...changed })),
            `of ${noun} ${index + 1}`,
          )}
          <IconButton
            icon="remove"
            label={`Remove ${noun} ${index + 1}`}
            onClick={() => setRows(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button icon="add" onClick={add}>
          Add a {noun}
        </Button>
      </div>
      <FieldProblem problem={problem} />
    </fieldset>
  );
}
