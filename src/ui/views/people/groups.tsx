import type { Output } from "../../api.ts";
import { nameOf } from "../../format.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { ChecksField, ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin } from "../../session.ts";
import { PeopleTabs } from "./people-tabs.tsx";

type Group = Output<"GET /api/admin/groups">["groups"][number];

/** Users who get roles together. */
export function View() {
  const read = useRead("GET /api/admin/groups");
  return (
    <EditableList<Group>
      title="Groups"
      noun="group"
      above={<PeopleTabs />}
      read={mapRead(read, ({ groups }) => groups)}
      keyOf={({ id }) => String(id)}
      nameOf={({ name }) => name}
      columns={[
        { title: "Name", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
        { title: "Description", cell: ({ description }) => <bdi>{description}</bdi> },
        { title: "Members", kind: "number", cell: ({ users }) => users.length },
        { title: "Projects", cell: ({ projects }) => <bdi>{projects.join(", ")}</bdi> },
      ]}
      editor={(edited) => <GroupEditor {...edited} />}
      mayCreate={isAdmin()}
      mayChange={isAdmin}
      removal={{
        isAllowed: isAdmin,
        remove: ({ id }) => change("DELETE /api/admin/groups/:id", { params: { id } }),
        lossOf: () => "Members lose the permissions that they have only through this group.",
      }}
    />
  );
}

function GroupEditor({ row, onClose }: { row: Group | undefined; onClose(): void }) {
  const people = useRead("GET /api/admin/user-admin").data;
  const initial = {
    name: row?.name ?? "",
    description: row?.description ?? "",
    rootRole: String(row?.rootRole ?? ""),
    users: (row?.users ?? []).map(({ user }) => String(user.id)) as readonly string[],
  };
  const form = useForm(initial, async ({ name, description, rootRole, users }) => {
    const body = {
      name,
      description,
      rootRole: rootRole === "" ? null : Number(rootRole),
      users: users.map((id) => ({ user: { id: Number(id) } })),
    };
    if (row) await change("PUT /api/admin/groups/:id", { params: { id: row.id }, body });
    else await change("POST /api/admin/groups", { body });
    onClose();
  });
  const roles = (people?.rootRoles ?? []).map(({ id, name }) => [String(id), name] as const);
  return (
    <Dialog title={row ? `Group ${row.name}` : "New group"} onClose={onClose}>
      <Form form={form} submit={row ? "Save" : "Create the group"} onCancel={onClose}>
        <TextField form={form} name="name" label="Name" isRequired autofocus />
        <LongField form={form} name="description" label="Description" />
        <ChoiceField
          form={form}
          name="rootRole"
          label="Root role"
          hint="Given to all members, in addition to their own."
          choices={[["", "none"], ...roles]}
        />
        <ChecksField
          form={form}
          name="users"
          label="Members"
          choices={(people?.users ?? []).map((user) => [String(user.id), nameOf(user)])}
        />
      </Form>
    </Dialog>
  );
}
