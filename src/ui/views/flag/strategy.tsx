import type { ComponentChildren } from "preact";
import type { Output } from "../../api.ts";
import { confirmed } from "../../confirm.ts";
import { Editor } from "../../parts/edit.tsx";
import {
  Checkbox,
  check,
  checks,
  choice,
  choicesOf,
  Field,
  type Fields,
  named,
  Select,
  type StoredValues,
  TextInput,
  text,
  valuesOf,
} from "../../parts/fields.tsx";
import type { FormState } from "../../parts/form.tsx";
import { type Constraint, cleaned, constraints, Lines, type Variant, variants } from "../../parts/rows.tsx";
import { change, useRead } from "../../reads.ts";
import { strategyInWords } from "../../sentence.ts";
import { type FlagPlace, PLACE, paramsAt, strategyQuestion } from "./frame.tsx";

export const STRATEGIES = `${PLACE}/strategies` as const;

interface StrategyEditorProps {
  place: FlagPlace;
  /** Undefined for a new one, which starts as the most common one, a gradual rollout. */
  id?: string;
}

/** Adds or edits a strategy, and shows changes that others make meanwhile. */
export function StrategyEditor({ place, id }: StrategyEditorProps) {
  const params = paramsAt(place);
  const isNew = id === undefined;
  return (
    <Editor
      title={`${isNew ? "New strategy" : "Strategy"} in ${place.environment}`}
      isWide
      of={isNew ? undefined : [`GET ${STRATEGIES}/:strategyId`, { params: { ...params, strategyId: id } }]}
      toValues={(now) => (now ? toDraft(now) : newDraft(place.feature))}
      fields={useStrategyFields(place.project, isNew)}
      create={async (draft) => {
        await confirmed(place, () => strategyQuestion(place, draft));
        await change(`POST ${STRATEGIES}`, { params, body: toBody(draft) });
      }}
      update={async (draft, ifStill) => {
        await confirmed(place, () => strategyQuestion(place, draft));
        const input = { params: { ...params, strategyId: ifStill.id }, body: toBody(draft), ifStill };
        await change(`PUT ${STRATEGIES}/:strategyId`, input);
      }}
      submit={isNew ? "Add the strategy" : "Save the strategy"}
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
export const toDraft = (stored: StoredValues<Draft>): Draft =>
  valuesOf(stored, { ...newDraft(""), parameters: {} });

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
    if (types.length === 0) return {}; // they say which parameters there are
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
        type?.parameters.map((parameter) => {
          const { name, description } = parameter;
          const input = {
            value: value[name] ?? "",
            onChange: (changed: string) => onChange({ ...value, [name]: changed }),
          };
          return (
            <Field key={name} label={LABELS[name] ?? name} hint={description} problem={problem(name)}>
              {(described) => inputFor(parameter)({ ...described, ...input })}
            </Field>
          );
        }),
      segments: segments.length > 0 && checks("Segments", named(segments)),
      constraints,
      variants,
      title: text("Title"),
      disabled: check("Disabled: the strategy is ignored"),
    };
  };
}

type Parameter = Output<"GET /api/admin/strategies">["strategies"][number]["parameters"][number];

interface InputProps {
  id: string;
  value: string;
  onChange(value: string): void;
}

const LABELS: Readonly<Record<string, string>> = {
  rollout: "Rollout",
  stickiness: "Stickiness",
  groupId: "Group ID",
};

/** The input for a type of parameter; on the wire they are all strings. */
const inputFor = ({ name, type }: Parameter) =>
  INPUTS[name === "stickiness" ? "stickiness" : (type ?? "")] ?? ((input) => <TextInput {...input} />);

const INPUTS: Readonly<Record<string, (input: InputProps) => ComponentChildren>> = {
  number: (input) => <TextInput {...input} type="number" />,
  percentage: ({ value, onChange, ...described }) => {
    const input = { min: 0, max: 100, value: value || "0", onChange };
    return (
      <span class="percentage">
        <TextInput {...described} {...input} type="range" />
        <TextInput {...input} type="number" aria-label="Percent" />%
      </span>
    );
  },
  /** On the wire a list is one comma-separated string; here it is one value per line. */
  list: ({ value, onChange, ...described }) => (
    <Lines
      attributes={described}
      rows={4}
      values={value === "" ? [] : value.split(",")}
      onChange={(values) => onChange(values.join(","))}
    />
  ),
  boolean: ({ value, onChange, ...described }) => (
    <Checkbox
      {...described}
      checked={value === "true"}
      onChange={(isChecked) => onChange(String(isChecked))}
    />
  ),
  stickiness: (input) => <Stickiness {...input} />,
};

function Stickiness(input: InputProps) {
  const fields = useRead("GET /api/admin/context").data ?? [];
  const sticky = fields.filter(({ stickiness }) => stickiness).map(({ name }) => name);
  const choices = [...new Set(["default", "userId", "sessionId", "random", ...sticky, input.value])];
  return <Select {...input} choices={choicesOf(choices)} />;
}
