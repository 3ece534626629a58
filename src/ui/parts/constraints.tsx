import type { Output } from "../api.ts";
import { useRead } from "../reads.ts";
import { isSingle, OPERATORS } from "../sentence.ts";
import { Button, IconButton } from "./button.tsx";
import { FieldProblem } from "./form.tsx";
import { LinesField } from "./lines.tsx";
import { useNewRow } from "./new-row.ts";

export type Constraint = Output<"GET /api/admin/segments">["segments"][number]["constraints"][number];

/** Constraints as they are sent: without the space around their values, and without empty lines. */
export const cleaned = (constraints: readonly Constraint[]): Constraint[] =>
  constraints.map(({ values = [], ...rest }) => ({
    ...rest,
    values: values.map((value) => value.trim()).filter((value) => value !== ""),
  }));

interface ConstraintsProps {
  constraints: readonly Constraint[];
  onChange(constraints: readonly Constraint[]): void;
  problem?: string | undefined;
}

/** Edits the constraints on the context, all of which must hold. */
export function Constraints({ constraints, onChange, problem }: ConstraintsProps) {
  const fields = useRead("GET /api/admin/context").data ?? [];
  const [list, announce] = useNewRow(constraints.length, ".constraint");
  const add = () => {
    announce();
    onChange([...constraints, EMPTY]);
  };
  const replace = (index: number, changed: Partial<Constraint>) =>
    onChange(
      constraints.map((constraint, at) => (at === index ? { ...constraint, ...changed } : constraint)),
    );
  return (
    <fieldset ref={list} class="constraints">
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
      <Button icon="add" onClick={add}>
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
        Negate<span class="unseen"> constraint {number}</span>
      </label>
      {operator.startsWith("STR_") && (
        <label>
          <input
            type="checkbox"
            checked={caseInsensitive}
            onChange={(event) => onChange({ caseInsensitive: event.currentTarget.checked })}
          />
          Ignore case<span class="unseen"> in constraint {number}</span>
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
    <LinesField
      attributes={{ "aria-label": label }}
      rows={Math.min(6, Math.max(1, values.length))}
      values={values}
      onChange={(values) => onChange({ values: [...values] })}
    />
  );
}
