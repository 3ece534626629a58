import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import { IconButton, Switch } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { ChoiceField, choicesOf, TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { isAdmin } from "../session.ts";

type Environment = Output<"GET /api/admin/environments">["environments"][number];

const TYPES = ["development", "test", "preproduction", "production"] as const;

/** The environments, in the order in which flags show them. */
export function View() {
  const read = useRead("GET /api/admin/environments");
  const names = (read.data?.environments ?? []).map(({ name }) => name);
  return (
    <EditableList<Environment>
      title="Environments"
      noun="environment"
      read={mapRead(read, ({ environments }) => environments)}
      keyOf={({ name }) => name}
      columns={[
        { title: "Name", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
        { title: "Type", cell: ({ type }) => type },
        { title: "Projects", kind: "number", cell: ({ projectCount }) => projectCount },
        { title: "Tokens", kind: "number", cell: ({ apiTokenCount }) => apiTokenCount },
        { title: "Enabled flags", kind: "number", cell: ({ enabledToggleCount }) => enabledToggleCount },
        { title: "In new projects", cell: (environment) => <Enabled environment={environment} /> },
      ]}
      editor={(edited) => <EnvironmentEditor {...edited} />}
      mayCreate={isAdmin()}
      mayChange={isAdmin}
      removal={{
        isAllowed: ({ protected: isProtected }) => isAdmin() && !isProtected,
        remove: ({ name }) => change("DELETE /api/admin/environments/:name", { params: { name } }),
        lossOf: ({ projectCount }) =>
          `It will be removed from ${counted(projectCount, "project")}, along with the flags' strategies in it.`,
      }}
      tools={({ name }) => isAdmin() && <MoveUp name={name} names={names} />}
    />
  );
}

const Enabled = ({ environment: { name, enabled } }: { environment: Environment }) => (
  <Switch
    isOn={enabled}
    label={`${name} in new projects`}
    disabled={!isAdmin()}
    onChange={(isOn) =>
      change(`POST /api/admin/environments/:name/${isOn ? "on" : "off"}`, { params: { name } })
    }
  />
);

function MoveUp({ name, names }: { name: string; names: readonly string[] }) {
  const index = names.indexOf(name);
  const moved = names.with(index, names[index - 1] ?? name).with(Math.max(index - 1, 0), name);
  const body = Object.fromEntries(moved.map((name, index) => [name, index + 1]));
  return (
    <IconButton
      icon="up"
      label={`Move ${name} up`}
      disabled={index <= 0}
      onClick={() => change("PUT /api/admin/environments/sort-order", { body })}
    />
  );
}

function EnvironmentEditor({ row, onClose }: { row: Environment | undefined; onClose(): void }) {
  const form = useForm({ name: "", type: row?.type ?? "production" }, async ({ name, type }) => {
    if (row) {
      const params = { name: row.name };
      await change("PUT /api/admin/environments/update/:name", { params, body: { type } });
    } else await change("POST /api/admin/environments", { body: { name, type } });
    onClose();
  });
  const types = [...new Set<string>([...TYPES, form.values.type])];
  return (
    <Dialog title={row ? `Environment ${row.name}` : "New environment"} onClose={onClose}>
      <Form form={form} submit={row ? "Save" : "Create the environment"} onCancel={onClose}>
        {!row && (
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="The name can't be changed later."
            isRequired
            autofocus
          />
        )}
        <ChoiceField form={form} name="type" label="Type" choices={choicesOf(types)} />
      </Form>
    </Dialog>
  );
}
