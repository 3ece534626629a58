import type { ComponentChildren } from "preact";
import type { Output } from "../../api.ts";
import { Constraints } from "../../parts/constraints.tsx";
import { CheckField, ChoiceField, inOrderOf, TextField } from "../../parts/fields.tsx";
import { Form, type FormState } from "../../parts/form.tsx";
import { VariantsEditor } from "../../parts/variants.tsx";
import { useRead } from "../../reads.ts";
import { strategyInWords } from "../../sentence.ts";
import { ParameterField } from "./parameter-field.tsx";
import type { StrategyDraft } from "./strategy-draft.ts";

interface StrategyFormProps {
  form: FormState<StrategyDraft>;
  project: string;
  submit: string;
  onCancel(): void;
  /** The type of a new strategy can be chosen. */
  isNew?: boolean;
  /** Shown above the submit button. */
  children?: ComponentChildren;
}

/** The form of a strategy; its type determines its parameters. */
export function StrategyForm({ form, project, submit, onCancel, isNew, children }: StrategyFormProps) {
  const types = useRead("GET /api/admin/strategies").data?.strategies ?? [];
  const segments = (useRead("GET /api/admin/segments").data?.segments ?? []).filter(
    (segment) => segment.project === undefined || segment.project === project,
  );
  const { values, set } = form;
  const type = types.find(({ name }) => name === values.name);
  const names = segments.filter(({ id }) => values.segments.includes(id)).map(({ name }) => name);
  return (
    <Form form={form} submit={submit} onCancel={onCancel}>
      <p class="sentence">{strategyInWords(values, names)}</p>
      {isNew && (
        <ChoiceField
          form={form}
          name="name"
          label="Type"
          hint={type?.description}
          choices={types
            .filter(({ deprecated }) => !deprecated)
            .map(({ name, displayName }) => [name, displayName ?? name])}
        />
      )}
      {type?.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values.parameters[parameter.name] ?? ""}
          problem={form.problemOf(`parameters.${parameter.name}`)}
          onChange={(value) => set("parameters", { ...values.parameters, [parameter.name]: value })}
        />
      ))}
      {segments.length > 0 && <Segments form={form} segments={segments} />}
      <Constraints
        constraints={values.constraints}
        onChange={(constraints) => set("constraints", constraints)}
        problem={form.problemOf("constraints")}
      />
      <VariantsEditor
        variants={values.variants}
        onChange={(variants) => set("variants", variants)}
        problem={form.problemOf("variants")}
      />
      <TextField form={form} name="title" label="Title" />
      <CheckField form={form} name="disabled" label="Disabled: the strategy is ignored" />
      {children}
    </Form>
  );
}

interface SegmentsProps {
  form: FormState<StrategyDraft>;
  segments: Output<"GET /api/admin/segments">["segments"];
}

const Segments = ({ form: { values, saved, set }, segments }: SegmentsProps) => (
  <fieldset class="field checks">
    <legend>Segments</legend>
    {segments.map(({ id, name }) => (
      <label key={id}>
        <input
          type="checkbox"
          checked={values.segments.includes(id)}
          onChange={(event) => {
            const others = values.segments.filter((other) => other !== id);
            set(
              "segments",
              event.currentTarget.checked ? inOrderOf(saved.segments, [...others, id]) : others,
            );
          }}
        />
        <bdi>{name}</bdi>
      </label>
    ))}
  </fieldset>
);
