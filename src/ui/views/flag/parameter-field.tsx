import type { Output } from "../../api.ts";
import { Field } from "../../parts/form.tsx";
import { LinesField } from "../../parts/lines.tsx";
import { useRead } from "../../reads.ts";

type Parameter = Output<"GET /api/admin/strategies">["strategies"][number]["parameters"][number];

interface ParameterFieldProps {
  parameter: Parameter;
  value: string;
  problem: string | undefined;
  onChange(value: string): void;
}

/** A strategy parameter, with an input for its type; on the wire they are all strings. */
export function ParameterField({ parameter, value, problem, onChange }: ParameterFieldProps) {
  const { name, type, description } = parameter;
  const input = name === "stickiness" ? "stickiness" : type;
  const Input = INPUTS[input ?? ""] ?? TextInput;
  return (
    <Field label={LABELS[name] ?? name} hint={description} problem={problem}>
      {(attributes) => <Input attributes={attributes} value={value} onChange={onChange} />}
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

const TextInput = ({ attributes, value, onChange }: InputProps) => (
  <input {...attributes} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
);

const NumberInput = ({ attributes, value, onChange }: InputProps) => (
  <input
    {...attributes}
    type="number"
    value={value}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);

const Percentage = ({ attributes, value, onChange }: InputProps) => (
  <span class="percentage">
    <input
      {...attributes}
      type="range"
      min={0}
      max={100}
      value={value || "0"}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
    <input
      type="number"
      aria-label="Percent"
      min={0}
      max={100}
      value={value || "0"}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
    %
  </span>
);

/** On the wire a list is one comma-separated string; here it is one value per line. */
const ListInput = ({ attributes, value, onChange }: InputProps) => (
  <LinesField
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
  return (
    <select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

const INPUTS: Readonly<Record<string, typeof TextInput>> = {
  string: TextInput,
  number: NumberInput,
  percentage: Percentage,
  list: ListInput,
  boolean: Checkbox,
  stickiness: Stickiness,
};
