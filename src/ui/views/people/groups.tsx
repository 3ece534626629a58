import type { Output } from "../../api.ts";
import { nameOf } from "../../format.ts";
import { EditForm, useEdit } from "../../parts/edit.tsx";
import { EditDialog, type EditProps } from "../../parts/edit-dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { ChecksField, ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin } from "../../session.ts";
import { PeopleTabs } from "./people-tabs.tsx";

type Group = Output<"GET /api/admin/groups">["groups"][number];

/** Groups of users who share roles. */
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
        lossOf: () => "Members lose the permissions they have only through this group.",
      }}
    />
  );
}

const GROUP = "/api/admin/groups/:id";

const GroupEditor = ({ row, onClose }: { row: Group | undefined; onClose(): void }) => (
  <EditDialog
    title={row ? `Group ${row.name}` : "New group"}
    of={row && [`GET ${GROUP}`, { params: { id: row.id } }]}
    onClose={onClose}
  >
    {(version) => <GroupForm {...version} onClose={onClose} />}
  </EditDialog>
);

type Now = Output<`GET ${typeof GROUP}`> | undefined;

const toValues = (now: Now) => ({
  name: now?.name ?? "",
  description: now?.description ?? "",
  rootRole: String(now?.rootRole ?? ""),
  users: (now?.users ?? []).map(({ user }) => String(user.id)) as readonly string[],
});

function GroupForm({ now, read, onClose }: EditProps<Now>) {
  const people = useRead("GET /api/admin/user-admin").data;
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ name, description, rootRole, users }, ifStill) {
      const body = {
        name,
        description,
        rootRole: rootRole === "" ? null : Number(rootRole),
        users: users.map((id) => ({ user: { id: Number(id) } })),
      };
      if (ifStill) await change(`PUT ${GROUP}`, { params: { id: ifStill.id }, body, ifStill });
      else await change("POST /api/admin/groups", { body });
      onClose();
    },
  });
  const { form } = edit;
  const roles = (people?.rootRoles ?? []).map(({ id, name }) => [String(id), name] as const);
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the group"} onCancel={onClose}>
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
    </EditForm>
  );
}
