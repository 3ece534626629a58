import { Link } from "wouter-preact";
import { pathTo } from "../../address.ts";
import { type Output, request } from "../../api.ts";
import { counted } from "../../format.ts";
import { Switch } from "../../parts/button.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { Badge } from "../../parts/words.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { toBody } from "./integration-body.ts";
import { IntegrationEditor } from "./integration-editor.tsx";
import { nameOf, providerOf } from "./integration-name.ts";

type Integration = Output<"GET /api/admin/addons">["addons"][number];

/** Integrations, to which events are delivered. */
export function View() {
  const read = useRead("GET /api/admin/addons");
  const providers = read.data?.providers ?? [];
  const name = (one: Integration) => nameOf(one, providers);
  return (
    <EditableList<Integration>
      title="Integrations"
      noun="integration"
      read={mapRead(read, ({ addons }) => addons)}
      keyOf={({ id }) => String(id)}
      nameOf={name}
      columns={[
        {
          title: "Integration",
          kind: "main",
          cell: (one) => (
            <Link href={pathTo("integrations", one.id)}>
              <bdi>{name(one)}</bdi>
            </Link>
          ),
        },
        { title: "Provider", cell: (one) => providerOf(one, providers) },
        {
          title: "Events",
          cell: ({ events }) => (events.length === 0 ? "none" : counted(events.length, "type")),
        },
        {
          title: "Projects",
          cell: ({ projects }) =>
            projects.length === 0 || projects.includes("*") ? "all" : projects.join(", "),
        },
        { title: "State", kind: "main", cell: (one) => <State integration={one} /> },
        { title: "Enabled", cell: (one) => <Enabled integration={one} name={name(one)} /> },
      ]}
      editor={(props) => <IntegrationEditor {...props} providers={providers} />}
      mayCreate={may("CREATE_ADDON")}
      mayChange={() => may("UPDATE_ADDON")}
      removal={{
        isAllowed: () => may("DELETE_ADDON"),
        remove: ({ id }) => change("DELETE /api/admin/addons/:id", { params: { id } }),
        lossOf: () => "Its delivery log and all pending deliveries will be deleted.",
      }}
    />
  );
}

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

const Enabled = ({ integration, name }: { integration: Integration; name: string }) => (
  <Switch
    isOn={integration.enabled}
    label={`Enabled: ${name}`}
    disabled={!may("UPDATE_ADDON")}
    onChange={(enabled) => enable(integration.id, enabled)}
  />
);

/** An update needs the whole integration, which is read first so that no other change is undone. */
async function enable(id: number, enabled: boolean) {
  const params = { id };
  const now = await request("GET /api/admin/addons/:id", { params });
  await change("PUT /api/admin/addons/:id", { params, body: toBody({ ...now, enabled }), ifStill: now });
}
