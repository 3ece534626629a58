import type { Output } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, ChecksField, ChoiceField, choicesOf, TextField } from "../../parts/fields.tsx";
import { Field, Form, type FormState, useForm } from "../../parts/form.tsx";
import { ProjectsField } from "../../parts/projects-field.tsx";
import { change, useRead } from "../../reads.ts";
import { toBody } from "./integration-body.ts";

type Listed = Output<"GET /api/admin/addons">;
type Integration = Listed["addons"][number];
type Provider = Listed["providers"][number];

interface EditorProps {
  row: Integration | undefined;
  providers: readonly Provider[];
  onClose(): void;
}

type Values = {
  provider: string;
  description: string;
  enabled: boolean;
  parameters: Record<string, string>;
  events: readonly string[];
  projects: readonly string[];
  environments: readonly string[];
};

/** An integration's form, made from what its provider says that it takes. */
export function IntegrationEditor({ row, providers, onClose }: EditorProps) {
  const environments = useRead("GET /api/admin/environments").data?.environments ?? [];
  const form = useForm<Values>(toValues(row, providers), async (values) => {
    const body = toBody({ ...values, parameters: filled(values.parameters) });
    if (row) await change("PUT /api/admin/addons/:id", { params: { id: row.id }, body });
    else await change("POST /api/admin/addons", { body });
    onClose();
  });
  const provider = providers.find(({ name }) => name === form.values.provider);
  const usable = providers.filter(({ deprecated }) => deprecated === undefined);
  return (
    <Dialog title={row ? "Integration" : "New integration"} onClose={onClose} isWide>
      <Form form={form} submit={row ? "Save" : "Create the integration"} onCancel={onClose}>
        {!row && (
          <ChoiceField
            form={form}
            name="provider"
            label="Provider"
            choices={usable.map(({ name, displayName }) => [name, displayName])}
          />
        )}
        {provider && <p class="muted">{provider.description}</p>}
        <TextField form={form} name="description" label="Description" />
        <CheckField form={form} name="enabled" label="Enabled" />
        {provider?.parameters.map((parameter) => (
          <ParameterField key={parameter.name} form={form} parameter={parameter} />
        ))}
        <ChecksField form={form} name="events" label="Events" choices={choicesOf(provider?.events ?? [])} />
        <ProjectsField form={form} />
        <ChecksField
          form={form}
          name="environments"
          label="Environments"
          hint="All environments if none is selected."
          choices={choicesOf(environments.map(({ name }) => name))}
        />
      </Form>
    </Dialog>
  );
}

const toValues = (row: Integration | undefined, providers: readonly Provider[]): Values => ({
  provider: row?.provider ?? providers[0]?.name ?? "",
  description: row?.description ?? "",
  enabled: row?.enabled ?? true,
  parameters: Object.fromEntries(
    Object.entries(row?.parameters ?? {}).map(([name, value]) => [name, String(value)]),
  ),
  events: row?.events ?? [],
  projects: row?.projects ?? [],
  environments: row?.environments ?? [],
});

/** What is left empty is left out. */
const filled = (parameters: Record<string, string>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ""));

interface ParameterProps {
  form: FormState<Values>;
  parameter: Provider["parameters"][number];
}

/** A masked secret stays as it is, unless another is typed over it. */
function ParameterField({ form, parameter }: ParameterProps) {
  const { name, displayName, type, description, placeholder, required } = parameter;
  const { parameters } = form.values;
  const set = (value: string) => form.set("parameters", { ...parameters, [name]: value });
  return (
    <Field label={displayName} hint={description} problem={form.problemOf(`parameters.${name}`)}>
      {(attributes) =>
        type === "textfield" ? (
          <textarea
            {...attributes}
            rows={4}
            placeholder={placeholder}
            value={parameters[name] ?? ""}
            onInput={(event) => set(event.currentTarget.value)}
          />
        ) : (
          <input
            {...attributes}
            required={required}
            placeholder={placeholder}
            autocomplete="off"
            value={parameters[name] ?? ""}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}
