import { useDialog } from "../../address.ts";
import type { Output } from "../../api.ts";
import { Answer } from "../../parts/answer.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Editing } from "../../parts/editable-list.tsx";
import { ChecksField, ChoiceField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { problemAt } from "../../parts/problems.ts";
import { Table } from "../../parts/table.tsx";
import { Avatar, Badge } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { ProjectFrame } from "./project-frame.tsx";

const ACCESS = "/api/admin/projects/:projectId/access";

type Access = Output<`GET ${typeof ACCESS}`>;

/** A user or a group that has roles in the project. */
interface Member {
  kind: "user" | "group";
  id: number;
  name: string;
  imageUrl: string | undefined;
  roles: readonly number[];
}

const membersOf = ({ users, groups }: Access): Member[] => [
  ...users.map(({ id, name, email, imageUrl, roles }) => ({
    kind: "user" as const,
    id,
    name: name || email || `user ${id}`,
    imageUrl,
    roles,
  })),
  ...groups.map(({ id, name, roles }) => ({ kind: "group" as const, id, name, imageUrl: undefined, roles })),
];

const keyOf = ({ kind, id }: Member) => `${kind} ${id}`;

/** The request body for a list of members; the API replaces all access at once. */
const toBody = (members: readonly Member[]) => {
  const ids = [...new Set(members.flatMap(({ roles }) => roles))];
  const idsWithRole = (role: number, kind: Member["kind"]) =>
    members.filter((member) => member.kind === kind && member.roles.includes(role)).map(({ id }) => id);
  return {
    roles: ids.map((id) => ({ id, users: idsWithRole(id, "user"), groups: idsWithRole(id, "group") })),
  };
};

/** Who has which role in a project. */
export const View = () => <ProjectFrame>{(_, id) => <People project={id} />}</ProjectFrame>;

function People({ project }: { project: string }) {
  const params = { projectId: project };
  const read = useRead(`GET ${ACCESS}`, { params });
  const adding = useDialog("new");
  const editing = useDialog("edit");
  const removing = useDialog("remove");
  const isAllowed = may("UPDATE_PROJECT", { project }) || may("PROJECT_USER_ACCESS_WRITE", { project });
  return (
    <Answer read={read}>
      {(access) => {
        const members = membersOf(access);
        const save = (changed: readonly Member[]) =>
          change(`PUT ${ACCESS}`, { params, body: toBody(changed), ifStill: access });
        const without = (member: Member) => members.filter((other) => keyOf(other) !== keyOf(member));
        const memberAt = (key: string | undefined) => members.find((member) => keyOf(member) === key);
        const removed = memberAt(removing.of);
        const editor = {
          members,
          roles: access.roles,
          onSave: (member: Member) => save([...without(member), member]),
        };
        return (
          <>
            <MemberTable
              members={members}
              roles={access.roles}
              onEdit={isAllowed ? editing.open : undefined}
              onRemove={removing.open}
            />
            {isAllowed && (
              <Button icon="add" onClick={() => adding.open()}>
                Add a member
              </Button>
            )}
            {adding.of && <EditMember {...editor} member={undefined} onClose={adding.close} />}
            {editing.of && (
              <Editing key={editing.of} row={memberAt(editing.of)}>
                {(member) => <EditMember {...editor} member={member} onClose={editing.close} />}
              </Editing>
            )}
            {removed && (
              <Confirm
                title={`Remove ${removed.name}?`}
                action="Remove"
                onConfirm={() => save(without(removed))}
                onClose={removing.close}
              >
                They lose all roles in this project; if it is private, they can no longer see it.
              </Confirm>
            )}
          </>
        );
      }}
    </Answer>
  );
}

interface MemberTableProps {
  members: Member[];
  roles: Access["roles"];
  /** Undefined if the user may not edit members. */
  onEdit: ((key: string) => void) | undefined;
  onRemove(key: string): void;
}

const MemberTable = ({ members, roles, onEdit, onRemove }: MemberTableProps) => (
  <Table
    caption="Members"
    rows={members}
    keyOf={keyOf}
    empty="No members yet."
    columns={[
      {
        title: "Member",
        kind: "main",
        cell: ({ kind, name, imageUrl }) => (
          <>
            {kind === "user" && <Avatar url={imageUrl} />} <bdi>{name}</bdi>{" "}
            {kind === "group" && <Badge>group</Badge>}
          </>
        ),
      },
      {
        title: "Roles",
        cell: (member) =>
          roles
            .filter(({ id }) => member.roles.includes(id))
            .map(({ name }) => name)
            .join(", "),
      },
      onEdit && {
        title: "Actions",
        kind: "tools",
        cell: (member) => (
          <>
            <IconButton
              icon="edit"
              label={`Edit roles of ${member.name}`}
              onClick={() => onEdit(keyOf(member))}
            />
            <IconButton
              icon="remove"
              label={`Remove ${member.name}`}
              onClick={() => onRemove(keyOf(member))}
            />
          </>
        ),
      },
    ]}
  />
);

interface EditMemberProps {
  /** Undefined for a new member, who is yet to be chosen. */
  member: Member | undefined;
  /** Those who have roles already, which can only be edited. */
  members: readonly Member[];
  roles: Access["roles"];
  onSave(member: Member): Promise<unknown>;
  onClose(): void;
}

function EditMember({ member, members, roles, onSave, onClose }: EditMemberProps) {
  const all = useRead("GET /api/admin/user-admin/access").data;
  const choices = [
    ...(all?.users ?? []).map(
      ({ id, name, username, email }) => [`user ${id}`, name || username || email || `user ${id}`] as const,
    ),
    ...(all?.groups ?? []).map(({ id, name }) => [`group ${id}`, `group ${name}`] as const),
  ].filter(([key]) => !members.some((member) => key === keyOf(member)));
  const initial = { who: "", roles: (member?.roles ?? []).map(String) as readonly string[] };
  const form = useForm(initial, async (values) => {
    if (!member && values.who === "") throw problemAt("who", "Choose a user or a group.");
    if (values.roles.length === 0) throw problemAt("roles", "Choose at least one role.");
    const [kind, id] = values.who.split(" ");
    const chosen: Member = member ?? {
      kind: kind === "group" ? "group" : "user",
      id: Number(id),
      name: "",
      imageUrl: undefined,
      roles: [],
    };
    await onSave({ ...chosen, roles: values.roles.map(Number) });
    onClose();
  });
  return (
    <Dialog title={member ? `Roles of ${member.name}` : "Add a member"} onClose={onClose}>
      <Form form={form} submit={member ? "Save" : "Add the member"} onCancel={onClose}>
        {!member && (
          <ChoiceField
            form={form}
            name="who"
            label="User or group"
            choices={[["", "choose a user or a group"], ...choices]}
          />
        )}
        <ChecksField
          form={form}
          name="roles"
          label="Roles"
          choices={roles.map(({ id, name }) => [String(id), name])}
        />
      </Form>
    </Dialog>
  );
}
