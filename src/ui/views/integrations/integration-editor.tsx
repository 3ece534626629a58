import type { Output } from "../../api.ts";
import { EditForm, useEdit, type Version } from "../../parts/edit.tsx";
import { EditDialog } from "../../parts/edit-dialog.tsx";
import { CheckField, ChecksField, ChoiceField, choicesOf, TextField } from "../../parts/fields.tsx";
import { Field, type FormState } from "../../parts/form.tsx";
import { ProjectsField } from "../../parts/projects-field.tsx";
import { change, useRead } from "../../reads.ts";
import { toBody } from "./integration-body.ts";
import { nameOf } from "./integration-name.ts";

type Listed = Output<"GET /api/admin/addons">;
type Integration = Listed["addons"][number];
type Provider = Listed["providers"][number];

const INTEGRATION = "/api/admin/addons/:id";

interface EditorProps {
  providers: readonly Provider[];
  onClose(): void;
}

/** Creates or edits an integration. */
export const IntegrationEditor = ({ row, ...rest }: EditorProps & { row: Integration | undefined }) => (
  <EditDialog
    title={row ? nameOf(row, rest.providers) : "New integration"}
    of={row && [`GET ${INTEGRATION}`, { params: { id: row.id } }]}
    onClose={rest.onClose}
    isWide
  >
    {(version) => <IntegrationForm {...version} {...rest} />}
  </EditDialog>
);

type Values = {
  provider: string;
  description: string;
  enabled: boolean;
  parameters: Record<string, string>;
  events: readonly string[];
  projects: readonly string[];
  environments: readonly string[];
};

type Now = Output<`GET ${typeof INTEGRATION}`> | undefined;

/** The fields depend on the provider's definition. */
function IntegrationForm({ now, read, providers, onClose }: EditorProps & Version<Now>) {
  const environments = useRead("GET /api/admin/environments").data?.environments ?? [];
  const edit = useEdit({
    now,
    read,
    toValues: (now: Now) => toValues(now, providers),
    async save(values, ifStill) {
      const body = toBody({ ...values, parameters: filled(values.parameters) });
      if (ifStill) await change(`PUT ${INTEGRATION}`, { params: { id: ifStill.id }, body, ifStill });
      else await change("POST /api/admin/addons", { body });
      onClose();
    },
  });
  const { form } = edit;
  const provider = providers.find(({ name }) => name === form.values.provider);
  const usable = providers.filter(({ deprecated }) => deprecated === undefined);
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the integration"} onCancel={onClose}>
      {!now && (
        <ChoiceField
          form={form}
          name="provider"
          label="Provider"
          choices={usable.map(({ name, displayName }) => [name, displayName])}
          onChoose={(name) => form.set("events", eventsOf(name, providers))}
        />
      )}
      {provider && <p class="muted">{provider.description}</p>}
      <TextField form={form} name="description" label="Description" />
      <CheckField form={form} name="enabled" label="Enabled" />
      {provider?.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          form={form}
          parameter={parameter}
          isStored={now?.parameters[parameter.name] !== undefined}
        />
      ))}
      <ChecksField
        form={form}
        name="events"
        label="Events"
        hint="Nothing is delivered if none is selected."
        choices={choicesOf(provider?.events ?? [])}
      />
      <ProjectsField form={form} />
      <ChecksField
        form={form}
        name="environments"
        label="Environments"
        hint="All environments if none is selected."
        choices={choicesOf(environments.map(({ name }) => name))}
      />
    </EditForm>
  );
}

function toValues(now: Now, providers: readonly Provider[]): Values {
  const provider = now?.provider ?? providers[0]?.name ?? "";
  return {
    provider,
    description: now?.description ?? "",
    enabled: now?.enabled ?? true,
    parameters: Object.fromEntries(
      Object.entries(now?.parameters ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    events: now?.events ?? eventsOf(provider, providers),
    projects: now?.projects ?? [],
    environments: now?.environments ?? [],
  };
}

/** All events of a provider, which are nearly always wanted. */
const eventsOf = (provider: string, providers: readonly Provider[]) =>
  providers.find(({ name }) => name === provider)?.events ?? [];

/** Parameters without the empty ones. */
const filled = (parameters: Record<string, string>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ""));

const KEPT = "The current value is secret, so it is not shown; it stays unless you replace the asterisks.";

interface ParameterProps {
  form: FormState<Values>;
  parameter: Provider["parameters"][number];
  /** Whether it has had a value before. */
  isStored: boolean;
}

/** A stored secret is shown masked, and kept unless a new one is typed over it. */
function ParameterField({ form, parameter, isStored }: ParameterProps) {
  const { name, displayName, type, description, placeholder, required, sensitive } = parameter;
  const hint = sensitive && isStored ? `${description} ${KEPT}` : description;
  const { parameters } = form.values;
  const set = (value: string) => form.set("parameters", { ...parameters, [name]: value });
  return (
    <Field label={displayName} hint={hint} problem={form.problemOf(`parameters.${name}`)}>
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
