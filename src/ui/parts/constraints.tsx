import type { Output } from "../api.ts";
import { useRead } from "../reads.ts";
import { isSingle, OPERATORS } from "../sentence.ts";
import { Button, IconButton } from "./button.tsx";
import { FieldProblem } from "./form.tsx";

export type Constraint = Output<"GET /api/admin/segments">["segments"][number]["constraints"][number];

interface ConstraintsProps {
  constraints: readonly Constraint[];
  onChange(constraints: readonly Constraint[]): void;
  problem?: string | undefined;
}

/** Edits the constraints on the context, all of which must hold. */
export function Constraints({ constraints, onChange, problem }: ConstraintsProps) {
  const fields = useRead("GET /api/admin/context").data ?? [];
  const replace = (index: number, changed: Partial<Constraint>) =>
    onChange(
      constraints.map((constraint, at) => (at === index ? { ...constraint, ...changed } : constraint)),
    );
  return (
    <fieldset class="constraints">
      <legend>Constraints</legend>
      {constraints.map((constraint, index) => (
        <ConstraintRow
          key={index}
          number={index + 1}
          constraint={constraint}
          fields={[...new Set([...fields.map(({ name }) => name), constraint.contextName])]}
          legal={fields
            .find(({ name }) => name === constraint.contextName)
            ?.legalValues.map(({ value }) => value)}
          onChange={(changed) => replace(index, changed)}
          onRemove={() => onChange(constraints.filter((_, at) => at !== index))}
        />
      ))}
      <FieldProblem problem={problem} />
      <Button icon="add" onClick={() => onChange([...constraints, EMPTY])}>
        Add a constraint
      </Button>
    </fieldset>
  );
}

const EMPTY: Constraint = {
  contextName: "userId",
  operator: "IN",
  values: [],
  inverted: false,
  caseInsensitive: false,
};

interface ConstraintRowProps {
  number: number;
  constraint: Constraint;
  /** The names of the context fields. */
  fields: readonly string[];
  /** The legal values of the context field, if it is limited to some. */
  legal: readonly string[] | undefined;
  onChange(changed: Partial<Constraint>): void;
  onRemove(): void;
}

function ConstraintRow({ number, constraint, fields, legal, onChange, onRemove }: ConstraintRowProps) {
  const { contextName, operator, inverted, caseInsensitive } = constraint;
  const label = (what: string) => `${what} of constraint ${number}`;
  return (
    <div class="constraint">
      <select
        aria-label={label("Context field")}
        value={contextName}
        onChange={(event) => onChange({ contextName: event.currentTarget.value })}
      >
        {fields.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label={label("Operator")}
        value={operator}
        onChange={(event) => onChange(withOperator(constraint, event.currentTarget.value))}
      >
        {OPERATORS.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <Values constraint={constraint} legal={legal} label={label("Values")} onChange={onChange} />
      <label>
        <input
          type="checkbox"
          checked={inverted}
          onChange={(event) => onChange({ inverted: event.currentTarget.checked })}
        />
        Negate
      </label>
      {operator.startsWith("STR_") && (
        <label>
          <input
            type="checkbox"
            checked={caseInsensitive}
            onChange={(event) => onChange({ caseInsensitive: event.currentTarget.checked })}
          />
          Ignore case
        </label>
      )}
      <IconButton icon="remove" label={`Remove constraint ${number}`} onClick={onRemove} />
    </div>
  );
}

/** Keeps what was typed, as far as the new operator can use it. */
function withOperator({ values = [], value }: Constraint, operator: string): Partial<Constraint> {
  const next = operator as Constraint["operator"];
  return isSingle(operator)
    ? { operator: next, value: value ?? values[0] ?? "", values: [] }
    : { operator: next, values: values.length > 0 ? values : value ? [value] : [], value: undefined };
}

interface ValuesProps extends Omit<ConstraintRowProps, "number" | "fields" | "onRemove"> {
  label: string;
}

function Values({ constraint: { operator, values = [], value = "" }, legal, label, onChange }: ValuesProps) {
  if (isSingle(operator))
    return (
      <input
        aria-label={label}
        value={value}
        placeholder={operator.startsWith("DATE") ? "2026-01-31T09:00:00.000Z" : ""}
        onInput={(event) => onChange({ value: event.currentTarget.value })}
      />
    );
  if (legal && legal.length > 0)
    return (
      <select
        multiple
        aria-label={label}
        onChange={(event) =>
          onChange({ values: [...event.currentTarget.selectedOptions].map((option) => option.value) })
        }
      >
        {legal.map((value) => (
          <option key={value} selected={values.includes(value)}>
            {value}
          </option>
        ))}
      </select>
    );
  return (
    <textarea
      aria-label={label}
      rows={Math.min(6, Math.max(1, values.length))}
      placeholder="one value per line"
      value={values.join("\n")}
      onInput={(event) => onChange({ values: linesOf(event.currentTarget.value) })}
    />
  );
}

/** Empty lines are kept, for a value that is about to be typed. */
const linesOf = (text: string) => (text === "" ? [] : text.split("\n"));
