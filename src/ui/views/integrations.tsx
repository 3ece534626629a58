import { pathTo } from "../address.ts";
import { type Input, type Output, request } from "../api.ts";
import { counted } from "../format.ts";
import { Switch } from "../parts/controls.tsx";
import {
  check,
  checks,
  choice,
  choicesOf,
  Field,
  type Fields,
  KEPT,
  TextArea,
  TextInput,
  text,
  valuesOf,
} from "../parts/fields.tsx";
import type { FormState } from "../parts/form.tsx";
import { EditableList } from "../parts/list.tsx";
import { projects } from "../parts/tokens.tsx";
import { Badge, NameLink } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may } from "../session.ts";

export const INTEGRATION = "/api/admin/addons/:id";

export type Integration = Output<`GET ${typeof INTEGRATION}`>;
type Body = Input<"POST /api/admin/addons">["body"];
type Provider = Output<"GET /api/admin/addons">["providers"][number];
type Providers = readonly Provider[];

/** Integrations, to which events are delivered. */
export function Integrations() {
  const read = useRead("GET /api/admin/addons");
  const providers = read.data?.providers ?? [];
  const environments = useRead("GET /api/admin/environments").data?.environments.map(({ name }) => name);
  const name = (one: Integration) => nameOf(one, providers);
  return (
    <EditableList
      title="Integrations"
      noun="integration"
      read={read}
      rows={({ addons }) => addons}
      keyOf={({ id }) => id}
      nameOf={name}
      columns={[
        [
          "Integration",
          (one) => <NameLink to={pathTo("integrations", one.id)}>{name(one)}</NameLink>,
          "main",
        ],
        ["Provider", (one) => providerOf(one, providers)],
        ["Events", ({ events }) => (events.length === 0 ? "none" : counted(events.length, "type"))],
        [
          "Projects",
          ({ projects }) => (projects.length === 0 || projects.includes("*") ? "all" : projects.join(", ")),
        ],
        ["State", (one) => <State integration={one} />, "main"],
        [
          "Enabled",
          (one) => (
            <Switch
              isOn={one.enabled}
              label={`Enabled: ${name(one)}`}
              disabled={!may("UPDATE_ADDON")}
              onChange={(enabled) => enable(one.id, enabled)}
            />
          ),
        ],
      ]}
      may={(action) => may(`${action}_ADDON`)}
      path={INTEGRATION}
      loss="Its delivery log and all pending deliveries will be deleted."
      edit={{
        isWide: true,
        toValues: (now) => toValues(now, providers),
        fields: (form, _, now) => fieldsOf(form, now, providers, environments),
        toBody: (values) => toBody(values),
      }}
    />
  );
}

/** The provider's name, as it calls itself. */
const providerOf = ({ provider }: Integration, providers: Providers) =>
  providers.find(({ name }) => name === provider)?.displayName ?? provider;

/** What an integration is called: its description, or else its provider and number. */
export const nameOf = (integration: Integration, providers: Providers) =>
  integration.description || `${providerOf(integration, providers)} ${integration.id}`;

/** The state of an integration's deliveries. */
export function State({ integration: { enabled, delivery } }: { integration: Integration }) {
  if (delivery?.failing)
    return (
      <>
        <Badge tone="bad">failing</Badge> <small>{delivery.failing.reason}</small>
      </>
    );
  if (delivery?.paused) return <Badge>paused</Badge>;
  return enabled ? <Badge tone="good">active</Badge> : <Badge>disabled</Badge>;
}

/** An update needs the whole integration, which is read first so that no other change is undone. */
async function enable(id: number, enabled: boolean) {
  const params = { id };
  const now = await request(`GET ${INTEGRATION}`, { params });
  await change(`PUT ${INTEGRATION}`, { params, body: toBody({ ...now, enabled }), ifStill: now });
}

/** The editable properties of an integration. */
type Draft = ReturnType<typeof toValues>;

/** The same as it is stored, where parameters may be anything. */
type Stored = Omit<Draft, "parameters" | "description"> & Pick<Integration, "parameters" | "description">;

/** The draft as a request body. The casts are safe: parameters and event types come from the server's own lists. */
const toBody = ({ provider, enabled, description, parameters, ...lists }: Stored): Body => ({
  provider,
  enabled,
  description,
  parameters: Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== ""),
  ) as Body["parameters"],
  events: [...lists.events] as Body["events"],
  projects: [...lists.projects],
  environments: [...lists.environments],
});

/** They depend on the provider's definition. */
function fieldsOf(
  form: FormState<Draft>,
  now: Integration | undefined,
  providers: Providers,
  environments: readonly string[] = [],
): Fields<Draft> {
  const usable = providers.filter(({ deprecated }) => deprecated === undefined);
  const provider = providers.find(({ name }) => name === form.values.provider);
  const chosen = choice(
    "Provider",
    usable.map(({ name, displayName }) => [name, displayName] as const),
    { onChoose: (name) => form.set("events", eventsOf(name, providers)) },
  );
  return {
    provider: (bound) => (
      <>
        {!now && chosen(bound)}
        {provider && <p class="muted">{provider.description}</p>}
      </>
    ),
    description: text("Description"),
    enabled: check("Enabled"),
    parameters: ({ value, onChange, problem }) =>
      provider?.parameters.map(({ name, displayName, type, description, required, ...parameter }) => {
        const isKept = parameter.sensitive && now?.parameters[name] !== undefined;
        const input = {
          placeholder: parameter.placeholder,
          value: value[name] ?? "",
          onChange: (changed: string) => onChange({ ...value, [name]: changed }),
        };
        return (
          <Field
            key={name}
            label={displayName}
            hint={isKept ? `${description} ${KEPT}` : description}
            problem={problem(name)}
          >
            {(described) =>
              type === "textfield" ? (
                <TextArea {...described} {...input} rows={4} />
              ) : (
                <TextInput {...described} {...input} required={required} />
              )
            }
          </Field>
        );
      }),
    events: checks("Events", choicesOf(provider?.events ?? []), {
      hint: "Nothing is delivered if none is selected.",
    }),
    projects,
    environments: checks("Environments", choicesOf(environments), {
      hint: "All environments if none is selected.",
    }),
  };
}

function toValues(now: Integration | undefined, providers: Providers) {
  const provider = providers[0]?.name ?? "";
  return {
    ...valuesOf(now, { ...EMPTY, provider, events: eventsOf(provider, providers) }),
    parameters: Object.fromEntries(
      Object.entries(now?.parameters ?? {}).map(([name, value]) => [name, String(value)]),
    ),
  };
}

const NONE: readonly string[] = [];

const EMPTY = { description: "", enabled: true, projects: NONE, environments: NONE };

/** All events of a provider, which are nearly always wanted. */
const eventsOf = (provider: string, providers: Providers): readonly string[] =>
  providers.find(({ name }) => name === provider)?.events ?? [];
