import type { Output } from "../../api.ts";
import { Editor } from "../../parts/edit.tsx";
import {
  check,
  checks,
  choice,
  choicesOf,
  Field,
  type Fields,
  type FormState,
  named,
  TextInput,
  text,
} from "../../parts/form.tsx";
import { type Constraint, cleaned, constraints, Lines, type Variant, variants } from "../../parts/rows.tsx";
import { Select } from "../../parts/table.tsx";
import { change, useRead } from "../../reads.ts";
import { strategyInWords } from "../../sentence.ts";
import { type FlagPlace, PLACE, paramsAt } from "./frame.tsx";

export const STRATEGIES = `${PLACE}/strategies` as const;

interface StrategyEditorProps {
  place: FlagPlace;
  /** Undefined for a new one, which starts as the most common one, a gradual rollout. */
  id?: string;
  onClose(): void;
}

/** Adds or edits a strategy, and shows changes that others make meanwhile. */
export function StrategyEditor({ place, id, onClose }: StrategyEditorProps) {
  const params = paramsAt(place);
  return (
    <Editor
      title={`${id === undefined ? "New strategy" : "Strategy"} in ${place.environment}`}
      isWide
      of={
        id === undefined
          ? undefined
          : [`GET ${STRATEGIES}/:strategyId`, { params: { ...params, strategyId: id } }]
      }
      toValues={(now) => (now ? toDraft(now) : newDraft(place.feature))}
      fields={useStrategyFields(place.project, id === undefined)}
      create={(draft) => change(`POST ${STRATEGIES}`, { params, body: toBody(draft) })}
      update={(draft, ifStill) =>
        change(`PUT ${STRATEGIES}/:strategyId`, {
          params: { ...params, strategyId: ifStill.id },
          body: toBody(draft),
          ifStill,
        })
      }
      submit={id === undefined ? "Add the strategy" : "Save the strategy"}
      onClose={onClose}
    />
  );
}

/** A strategy being edited. */
type Draft = {
  name: string;
  title: string;
  disabled: boolean;
  parameters: Readonly<Record<string, string>>;
  constraints: readonly Constraint[];
  segments: readonly number[];
  variants: readonly Variant[];
};

/** A new draft: the most common strategy, for everyone. @param groupId decides which users a rollout reaches first */
export const newDraft = (groupId: string): Draft => ({
  name: "flexibleRollout",
  title: "",
  disabled: false,
  parameters: { rollout: "100", stickiness: "default", groupId },
  constraints: [],
  segments: [],
  variants: [],
});

/** The editable part of a stored strategy, of which some may be missing. */
type Stored = { name: string; title?: string | null | undefined; disabled?: boolean | null | undefined } & {
  [Name in "parameters" | "constraints" | "segments" | "variants"]?: Draft[Name] | undefined;
};

export const toDraft = (stored: Stored): Draft => ({
  name: stored.name,
  title: stored.title ?? "",
  disabled: stored.disabled ?? false,
  parameters: stored.parameters ?? {},
  constraints: stored.constraints ?? [],
  segments: stored.segments ?? [],
  variants: stored.variants ?? [],
});

/** The draft as a request body, without empty values. */
export const toBody = ({ constraints, segments, variants, parameters, ...draft }: Draft) => ({
  ...draft,
  parameters: { ...parameters },
  segments: [...segments],
  variants: [...variants],
  constraints: cleaned(constraints),
});

/** The controls of a strategy, whose type determines its parameters. @param isNew its type can be chosen */
export function useStrategyFields(project: string, isNew = false) {
  const types = useRead("GET /api/admin/strategies").data?.strategies ?? [];
  const segments = (useRead("GET /api/admin/segments").data?.segments ?? []).filter(
    (segment) => segment.project === undefined || segment.project === project,
  );
  return ({ values }: FormState<Draft>): Fields<Draft> => {
    const type = types.find(({ name }) => name === values.name);
    const chosen = segments.filter(({ id }) => values.segments.includes(id)).map(({ name }) => name);
    const offered = types
      .filter(({ deprecated }) => !deprecated)
      .map(({ name, displayName }) => [name, displayName ?? name] as const);
    return {
      name: (bound) => (
        <>
          <p class="sentence">{strategyInWords(values, chosen)}</p>
          {isNew && choice("Type", offered, { hint: type?.description })(bound)}
        </>
      ),
      parameters: ({ value, onChange, problem }) =>
        type?.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={value[parameter.name] ?? ""}
            problem={problem(parameter.name)}
            onChange={(changed) => onChange({ ...value, [parameter.name]: changed })}
          />
        )),
      segments: segments.length > 0 && checks("Segments", named(segments)),
      constraints,
      variants,
      title: text("Title"),
      disabled: check("Disabled: the strategy is ignored"),
    };
  };
}

type Parameter = Output<"GET /api/admin/strategies">["strategies"][number]["parameters"][number];

interface ParameterFieldProps {
  parameter: Parameter;
  value: string;
  problem: string | undefined;
  onChange(value: string): void;
}

/** A strategy parameter, with an input for its type; on the wire they are all strings. */
function ParameterField({ parameter, value, problem, onChange }: ParameterFieldProps) {
  const { name, type, description } = parameter;
  const InputOf = INPUTS[name === "stickiness" ? "stickiness" : (type ?? "")] ?? Plain;
  return (
    <Field label={LABELS[name] ?? name} hint={description} problem={problem}>
      {(attributes) => <InputOf attributes={attributes} value={value} onChange={onChange} />}
    </Field>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  rollout: "Rollout",
  stickiness: "Stickiness",
  groupId: "Group ID",
};

interface InputProps {
  attributes: { id: string };
  value: string;
  onChange(value: string): void;
}

const Plain = ({ attributes, ...input }: InputProps) => <TextInput {...attributes} {...input} />;

const NumberInput = ({ attributes, ...input }: InputProps) => (
  <TextInput {...attributes} {...input} type="number" />
);

function Percentage({ attributes, value, onChange }: InputProps) {
  const input = { min: 0, max: 100, value: value || "0", onChange };
  return (
    <span class="percentage">
      <TextInput {...attributes} {...input} type="range" />
      <TextInput {...input} type="number" aria-label="Percent" />%
    </span>
  );
}

/** On the wire a list is one comma-separated string; here it is one value per line. */
const ListInput = ({ attributes, value, onChange }: InputProps) => (
  <Lines
    attributes={attributes}
    rows={4}
    values={value === "" ? [] : value.split(",")}
    onChange={(values) => onChange(values.join(","))}
  />
);

const Checkbox = ({ attributes, value, onChange }: InputProps) => (
  <input
    {...attributes}
    type="checkbox"
    checked={value === "true"}
    onChange={(event) => onChange(String(event.currentTarget.checked))}
  />
);

function Stickiness({ attributes, value, onChange }: InputProps) {
  const fields = useRead("GET /api/admin/context").data ?? [];
  const sticky = fields.filter(({ stickiness }) => stickiness).map(({ name }) => name);
  const choices = [...new Set(["default", "userId", "sessionId", "random", ...sticky, value])];
  return <Select {...attributes} value={value} choices={choicesOf(choices)} onChange={onChange} />;
}

const INPUTS: Readonly<Record<string, typeof Plain>> = {
  number: NumberInput,
  percentage: Percentage,
  list: ListInput,
  boolean: Checkbox,
  stickiness: Stickiness,
};
