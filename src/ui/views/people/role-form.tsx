import type { Output } from "../../api.ts";
import { EditForm, useEdit } from "../../parts/edit.tsx";
import type { EditProps } from "../../parts/edit-dialog.tsx";
import { ChecksField, type Choice, ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { change, useRead } from "../../reads.ts";

type Permissions = Output<"GET /api/admin/permissions">["permissions"];

/** A permission, in one environment or in all, as a string. */
const toKey = (name: string, environment = "") => JSON.stringify([name, environment]);
const fromKey = (key: string) => {
  const [name, environment] = JSON.parse(key) as [string, string];
  return { name, environment };
};

export const ROLE = "/api/admin/roles/:id";

type Now = Output<`GET ${typeof ROLE}`> | undefined;

const toValues = (now: Now) => ({
  name: now?.name ?? "",
  description: now?.description ?? "",
  type: now?.type ?? "custom",
  permissions: (now?.permissions ?? []).map(({ name, environment }) =>
    toKey(name, environment),
  ) as readonly string[],
});

/** The name, scope and permissions of a custom role. */
export function RoleForm({ now, read, onClose }: EditProps<Now>) {
  const permissions = useRead("GET /api/admin/permissions").data?.permissions;
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ type, permissions, ...rest }, ifStill) {
      const body = {
        ...rest,
        type: type as "custom" | "root-custom",
        permissions: permissions.map(fromKey),
      };
      if (ifStill) await change(`PUT ${ROLE}`, { params: { id: ifStill.id }, body, ifStill });
      else await change("POST /api/admin/roles", { body });
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the role"} onCancel={onClose}>
      <TextField form={form} name="name" label="Name" isRequired autofocus />
      <LongField form={form} name="description" label="Description" />
      {!now && (
        <ChoiceField
          form={form}
          name="type"
          label="Scope"
          choices={[
            ["custom", "project: assigned to members of a project"],
            ["root-custom", "root: applies everywhere, for a user or a group"],
          ]}
        />
      )}
      <ChecksField
        form={form}
        name="permissions"
        label="Permissions"
        choices={permissions ? choicesFor(form.values.type, permissions) : []}
      />
    </EditForm>
  );
}

/** The permissions of a type of role; those bound to environments are listed for each. */
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
