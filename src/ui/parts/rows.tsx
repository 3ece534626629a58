import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Output } from "../api.ts";
import { useRead } from "../reads.ts";
import { isSingle, OPERATORS } from "../sentence.ts";
import { Button, IconButton } from "./controls.tsx";
import {
  type Bound,
  type Control,
  choicesOf,
  FieldProblem,
  Select,
  TextArea,
  TextInput,
  Tick,
} from "./fields.tsx";

interface RowsProps<R> extends Bound<readonly R[]> {
  label: string;
  /** What a row is called, such as "value". */
  noun: string;
  /** The initial value of a new row. */
  fresh: R;
  /** Of the list and of a row. */
  classes?: readonly [list: string, row: string];
  above?: ComponentChildren;
  /** The controls of a row; `set` merges changes into it, and `place` names it, such as "value 1". */
  row(row: R, set: (changed: Partial<R>) => void, place: string): ComponentChildren;
}

/** A list that is edited row by row. */
function Rows<R>(props: RowsProps<R>) {
  const { label, noun, fresh, value: rows, onChange, problem, above, row: controls } = props;
  const [list, row] = props.classes ?? ["field rows", "row"];
  const element = useRef<HTMLFieldSetElement>(null);
  const isAdding = useRef(false);
  useEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    const added = element.current?.querySelector(`.${row}:nth-last-of-type(2)`); // the last one holds the button
    added?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [rows.length]);
  const add = () => {
    isAdding.current = true;
    onChange([...rows, fresh]);
  };
  return (
    <fieldset ref={element} class={list}>
      <legend>{label}</legend>
      {above}
      {rows.map((one, index) => (
        <div key={index} class={row}>
          {controls(
            one,
            (changed) => onChange(rows.with(index, { ...one, ...changed })),
            `${noun} ${index + 1}`,
          )}
          <IconButton
            icon="remove"
            label={`Remove ${noun} ${index + 1}`}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <FieldProblem problem={problem()} />
      <div>
        <Button icon="add" onClick={add}>
          Add a {noun}
        </Button>
      </div>
    </fieldset>
  );
}

/** A list field, edited row by row. */
export const rows =
  <R,>(label: string, options: Pick<RowsProps<R>, "noun" | "fresh" | "row">): Control<readonly R[]> =>
  (bound) => <Rows label={label} {...options} {...bound} />;

interface LinesProps {
  values: readonly string[];
  onChange(values: readonly string[]): void;
  rows: number;
  /** Of the text area, such as its label. */
  attributes: { id?: string; "aria-label"?: string };
}

/**
 * A list, one value a line. A comma that is typed or pasted starts a new line, unless a value that is there already has
 * a comma in it. Empty lines are kept, for a value that is about to be typed.
 */
export function Lines({ values, onChange, rows, attributes }: LinesProps) {
  const hasCommas = values.some((value) => value.includes(","));
  const toLines = (text: string) => (hasCommas ? text : text.replaceAll(/[,\n][ \t]*/g, "\n"));
  return (
    <textarea
      {...attributes}
      rows={rows}
      placeholder="one per line, or separated by commas"
      value={values.join("\n")}
      onInput={({ currentTarget: area }) => {
        const { value, selectionEnd } = area;
        const text = toLines(value);
        if (text !== value) {
          area.value = text;
          const caret = toLines(value.slice(0, selectionEnd)).length;
          area.setSelectionRange(caret, caret);
        }
        onChange(text === "" ? [] : text.split("\n"));
      }}
    />
  );
}

export type Constraint = Output<"GET /api/admin/segments">["segments"][number]["constraints"][number];

/** Constraints as they are sent: without the space around their values, and without empty lines. */
export const cleaned = (constraints: readonly Constraint[]): Constraint[] =>
  constraints.map(({ values = [], ...rest }) => ({
    ...rest,
    values: values.map((value) => value.trim()).filter((value) => value !== ""),
  }));

/** The constraints on the context, all of which must hold. */
export const constraints: Control<readonly Constraint[]> = (bound) => <Constraints {...bound} />;

const NO_CONSTRAINT: Constraint = {
  contextName: "userId",
  operator: "IN",
  values: [],
  inverted: false,
  caseInsensitive: false,
};

function Constraints(bound: Bound<readonly Constraint[]>) {
  const fields = useRead("GET /api/admin/context", { query: { include: "project" } }).data ?? [];
  const known = fields.map(({ name, project }) => [name, project ? `${name} (${project})` : name] as const);
  return (
    <Rows
      {...bound}
      label="Constraints"
      noun="constraint"
      fresh={NO_CONSTRAINT}
      classes={["constraints", "constraint"]}
      row={(constraint, set, place) => {
        const { contextName, operator, inverted, caseInsensitive } = constraint;
        const field = fields.find(({ name }) => name === contextName);
        return (
          <>
            <Select
              label={`Context field of ${place}`}
              value={contextName}
              choices={field ? known : [...known, [contextName, contextName]]}
              onChange={(contextName) => set({ contextName })}
            />
            <Select
              label={`Operator of ${place}`}
              value={operator}
              choices={OPERATORS.map(([name, words]) => [name, words])}
              onChange={(operator) => set(withOperator(constraint, operator))}
            />
            <ConstraintValues
              constraint={constraint}
              legal={field?.legalValues.map(({ value }) => value) ?? []}
              label={`Values of ${place}`}
              onChange={set}
            />
            {(inverted || operator !== "REGEX") && (
              <Tick checked={inverted} onChange={(inverted) => set({ inverted })}>
                Negate<span class="unseen"> {place}</span>
              </Tick>
            )}
            {operator.startsWith("STR_") && (
              <Tick checked={caseInsensitive} onChange={(caseInsensitive) => set({ caseInsensitive })}>
                Ignore case<span class="unseen"> in {place}</span>
              </Tick>
            )}
          </>
        );
      }}
    />
  );
}

/** Keeps what was typed, as far as the new operator can use it. */
function withOperator({ values = [], value }: Constraint, operator: string): Partial<Constraint> {
  const next = operator as Constraint["operator"];
  return isSingle(operator)
    ? { operator: next, value: value ?? values[0] ?? "", values: [] }
    : { operator: next, values: values.length > 0 ? values : value ? [value] : [], value: undefined };
}

interface ConstraintValuesProps {
  constraint: Constraint;
  /** The legal values of the context field; none if it isn't limited. */
  legal: readonly string[];
  label: string;
  onChange(changed: Partial<Constraint>): void;
}

function ConstraintValues({ constraint, legal, label, onChange }: ConstraintValuesProps) {
  const { operator, values = [], value = "" } = constraint;
  if (isSingle(operator))
    return (
      <TextInput
        aria-label={label}
        value={value}
        placeholder={operator.startsWith("DATE") ? "2026-01-31T09:00:00.000Z" : ""}
        onChange={(value) => onChange({ value })}
      />
    );
  if (legal.length > 0)
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
    <Lines
      attributes={{ "aria-label": label }}
      rows={Math.min(6, Math.max(1, values.length))}
      values={values}
      onChange={(values) => onChange({ values: [...values] })}
    />
  );
}

export type Variant =
  Output<"GET /api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies">[number]["variants"][number];

/** The sum of all weights, in thousandths. */
const TOTAL_WEIGHT = 1000;

const PAYLOADS = [["", "no payload"] as const, ...choicesOf(["string", "json", "csv", "number"])];

/** Variants, with their weights as one bar; those that aren't fixed share the remaining weight. */
export const variants: Control<readonly Variant[]> = ({ value, onChange, ...bound }) => (
  <Rows<Variant>
    {...bound}
    value={value}
    onChange={(changed) => onChange(withWeights(changed))}
    label="Variants"
    noun="variant"
    fresh={{ name: "", weight: 0, weightType: "variable", stickiness: "default" }}
    classes={["variants", "variant"]}
    above={value.length > 0 && <WeightsBar variants={value} />}
    row={({ name, weight, weightType, payload }, set, place) => (
      <>
        <TextInput
          aria-label={`Name of ${place}`}
          placeholder="Name"
          required
          value={name}
          onChange={(name) => set({ name })}
        />
        <Tick
          checked={weightType === "fix"}
          onChange={(isFixed) => set({ weightType: isFixed ? "fix" : "variable" })}
        >
          Fixed
        </Tick>
        <span>
          <TextInput
            type="number"
            aria-label={`Percent of ${place}`}
            min={0}
            max={100}
            step={0.1}
            disabled={weightType !== "fix"}
            value={weight / 10}
            onChange={(percent) => set({ weight: Math.round(Number(percent) * 10) })}
          />
          %
        </span>
        <Select
          label={`Payload type of ${place}`}
          value={payload?.type ?? ""}
          choices={PAYLOADS}
          onChange={(type) => set({ payload: toPayload(type, payload?.value) })}
        />
        {payload && (
          <TextArea
            aria-label={`Payload of ${place}`}
            rows={1}
            value={payload.value}
            onChange={(value) => set({ payload: { ...payload, value } })}
          />
        )}
      </>
    )}
  />
);

/** Keeps fixed weights; the other variants share the rest, so that all weights add up to the total. */
function withWeights(variants: readonly Variant[]): Variant[] {
  const fixed = variants.filter(({ weightType }) => weightType === "fix");
  const left = Math.max(0, TOTAL_WEIGHT - fixed.reduce((sum, { weight }) => sum + weight, 0));
  const sharers = variants.length - fixed.length;
  let index = 0;
  return variants.map((variant) => {
    if (variant.weightType === "fix") return variant;
    const weight = Math.floor(left / sharers) + (index++ < left % sharers ? 1 : 0);
    return { ...variant, weight };
  });
}

const toPayload = (type: string, value = "") =>
  type === "" ? undefined : ({ type, value } as NonNullable<Variant["payload"]>);

/** The weights of variants, as segments of one bar and in words. */
export const WeightsBar = ({ variants }: { variants: ReadonlyArray<Pick<Variant, "name" | "weight">> }) => (
  <div class="weights">
    <div class="bar" aria-hidden="true">
      {variants.map(({ name, weight }) => (
        <span key={name} style={{ width: `${weight / 10}%` }} />
      ))}
    </div>
    <small>
      {variants.map(({ name, weight }, index) => (
        <span key={name}>
          {index > 0 && ", "}
          <bdi>{name}</bdi> {weight / 10}%
        </span>
      ))}
    </small>
  </div>
);
