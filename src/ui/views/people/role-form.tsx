import type { Output } from "../../api.ts";
import { ChecksField, type Choice, ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { change, useRead } from "../../reads.ts";

type Role = Output<"GET /api/admin/roles/:id">;
type Permissions = Output<"GET /api/admin/permissions">["permissions"];

/** A permission in one environment, or in all of them, as one text. */
const toKey = (name: string, environment = "") => JSON.stringify([name, environment]);
const fromKey = (key: string) => {
  const [name, environment] = JSON.parse(key) as [string, string];
  return { name, environment };
};

/** What a custom role is made of. */
export function RoleForm({ role, onClose }: { role?: Role; onClose(): void }) {
  const permissions = useRead("GET /api/admin/permissions").data?.permissions;
  const initial = {
    name: role?.name ?? "",
    description: role?.description ?? "",
    type: role?.type ?? "custom",
    permissions: (role?.permissions ?? []).map(({ name, environment }) =>
      toKey(name, environment),
    ) as readonly string[],
  };
  const form = useForm<typeof initial>(initial, async ({ name, description, type, permissions }) => {
    const body = {
      name,
      description,
      type: type as "custom" | "root-custom",
      permissions: permissions.map(fromKey),
    };
    if (role) await change("PUT /api/admin/roles/:id", { params: { id: role.id }, body });
    else await change("POST /api/admin/roles", { body });
    onClose();
  });
  return (
    <Form form={form} submit={role ? "Save" : "Create the role"} onCancel={onClose}>
      <TextField form={form} name="name" label="Name" isRequired autofocus />
      <LongField form={form} name="description" label="Description" />
      {!role && (
        <ChoiceField
          form={form}
          name="type"
          label="Scope"
          choices={[
            ["custom", "project: given to members of a project"],
            ["root-custom", "root: a user's or a group's role in everything"],
          ]}
        />
      )}
      <ChecksField
        form={form}
        name="permissions"
        label="Permissions"
        choices={permissions ? choicesFor(form.values.type, permissions) : []}
      />
    </Form>
  );
}

/** Those of a kind of role; what is bound to environments is there for each. */
function choicesFor(type: string, { root, project, environments }: Permissions): Choice[] {
  if (type === "root-custom") return root.map(({ name, displayName }) => [toKey(name), displayName]);
  return [
    ...project.map(({ name, displayName }): Choice => [toKey(name), displayName]),
    ...environments.flatMap(({ name: environment, permissions }) =>
      permissions.map(
        ({ name, displayName }): Choice => [toKey(name, environment), `${environment}: ${displayName}`],
      ),
    ),
  ];
}
