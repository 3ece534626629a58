import type { Output } from "../../api.ts";
import { EditDialog } from "../../parts/edit-dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { Badge } from "../../parts/words.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin } from "../../session.ts";
import { PeopleTabs } from "./people-tabs.tsx";
import { ROLE, RoleForm } from "./role-form.tsx";

type Role = Output<"GET /api/admin/roles">["roles"][number];

const isCustom = ({ type }: Role) => type === "custom" || type === "root-custom";
const isRoot = ({ type }: Role) => type === "root" || type === "root-custom";

/** Roles: named sets of permissions. */
export function View() {
  const read = useRead("GET /api/admin/roles");
  return (
    <EditableList<Role>
      title="Roles"
      noun="role"
      above={<PeopleTabs />}
      read={mapRead(read, ({ roles }) => roles)}
      keyOf={({ id }) => String(id)}
      nameOf={({ name }) => name}
      columns={[
        {
          title: "Name",
          kind: "main",
          cell: (role) => (
            <>
              <bdi>{role.name}</bdi> {!isCustom(role) && <Badge>built in</Badge>}
            </>
          ),
        },
        { title: "Scope", cell: (role) => (isRoot(role) ? "root" : "project") },
        { title: "Description", cell: ({ description }) => <bdi>{description}</bdi> },
      ]}
      editor={(edited) => <RoleEditor {...edited} />}
      mayCreate={isAdmin()}
      mayChange={(role) => isCustom(role) && isAdmin()}
      removal={{
        isAllowed: (role) => isCustom(role) && isAdmin(),
        remove: ({ id }) => change("DELETE /api/admin/roles/:id", { params: { id } }),
        lossOf: () => "A role that is still assigned can't be deleted.",
      }}
    />
  );
}

const RoleEditor = ({ row, onClose }: { row: Role | undefined; onClose(): void }) => (
  <EditDialog
    title={row ? `Role ${row.name}` : "New role"}
    of={row && [`GET ${ROLE}`, { params: { id: row.id } }]}
    onClose={onClose}
    isWide
  >
    {(version) => <RoleForm {...version} onClose={onClose} />}
  </EditDialog>
);
