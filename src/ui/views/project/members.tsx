import { useDialog } from "../../address.ts";
import type { Output } from "../../api.ts";
import { nameOf } from "../../format.ts";
import { IconButton } from "../../parts/controls.tsx";
import { FormDialog, Opener, RemoveButton } from "../../parts/dialog.tsx";
import { checks, choice, named } from "../../parts/fields.tsx";
import { problemAt } from "../../parts/form.tsx";
import { Editing } from "../../parts/list.tsx";
import { Table } from "../../parts/table.tsx";
import { Answer, Avatar, Badge } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { inProject, PROJECT } from "./frame.tsx";

type AccessList = Output<`GET ${typeof PROJECT}/access`>;

/** A user or a group that has roles in the project. */
interface Member {
  kind: "user" | "group";
  id: number;
  name: string;
  imageUrl: string | undefined;
  roles: readonly number[];
}

const membersOf = ({ users, groups }: AccessList): Member[] => [
  ...users.map(({ id, name, email, imageUrl, roles }) => ({
    kind: "user" as const,
    id,
    name: name || email || `user ${id}`,
    imageUrl,
    roles,
  })),
  ...groups.map(({ id, name, roles }) => ({ kind: "group" as const, id, name, imageUrl: undefined, roles })),
];

const keyOf = ({ kind, id }: Pick<Member, "kind" | "id">) => `${kind} ${id}`;

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
export const Members = inProject(({ id: project }) => {
  const params = { projectId: project };
  const read = useRead(`GET ${PROJECT}/access`, { params });
  const editing = useDialog("edit");
  const isAllowed = may("UPDATE_PROJECT", { project }) || may("PROJECT_USER_ACCESS_WRITE", { project });
  return (
    <Answer read={read}>
      {(access) => {
        const { roles } = access;
        const members = membersOf(access);
        const save = (changed: readonly Member[]) =>
          change(`PUT ${PROJECT}/access`, { params, body: toBody(changed), ifStill: access });
        const without = (member: Member) => members.filter((other) => keyOf(other) !== keyOf(member));
        const memberAt = (key: string | undefined) => members.find((member) => keyOf(member) === key);
        const editor = { members, roles, onSave: (member: Member) => save([...without(member), member]) };
        const tools = (member: Member) => (
          <>
            <IconButton
              icon="edit"
              label={`Edit roles of ${member.name}`}
              onClick={() => editing.open(keyOf(member))}
            />
            <RemoveButton
              label={`Remove ${member.name}`}
              of={keyOf(member)}
              title={`Remove ${member.name}?`}
              action="Remove"
              onConfirm={() => save(without(member))}
            >
              They lose all roles in this project; if it is private, they can no longer see it.
            </RemoveButton>
          </>
        );
        return (
          <>
            <Table
              caption="Members"
              rows={members}
              keyOf={keyOf}
              empty="No members yet."
              columns={[
                ["Member", (member) => <Title member={member} />, "main"],
                [
                  "Roles",
                  (member) =>
                    roles
                      .filter(({ id }) => member.roles.includes(id))
                      .map(({ name }) => name)
                      .join(", "),
                ],
                isAllowed && ["Actions", tools, "tools"],
              ]}
            />
            <Opener isAllowed={isAllowed} label="Add a member" icon="add" parameter="new">
              <EditMember {...editor} member={undefined} />
            </Opener>
            {editing.of && (
              <Editing key={editing.of} row={memberAt(editing.of)} onClose={editing.close}>
                {(member) => <EditMember {...editor} member={member} />}
              </Editing>
            )}
          </>
        );
      }}
    </Answer>
  );
});

const Title = ({ member: { kind, name, imageUrl } }: { member: Member }) => (
  <>
    {kind === "user" && <Avatar url={imageUrl} />} <bdi>{name}</bdi>{" "}
    {kind === "group" && <Badge>group</Badge>}
  </>
);

interface EditMemberProps {
  /** Undefined for a new member, who is yet to be chosen. */
  member: Member | undefined;
  /** Those who have roles already, which can only be edited. */
  members: readonly Member[];
  roles: AccessList["roles"];
  onSave(member: Member): Promise<unknown>;
}

function EditMember({ member, members, roles, onSave }: EditMemberProps) {
  const candidates = useCandidates().filter((one) => !members.some((other) => keyOf(one) === keyOf(other)));
  const choices = candidates.map((one) => [keyOf(one), one.name] as const);
  return (
    <FormDialog
      title={member ? `Roles of ${member.name}` : "Add a member"}
      initial={{ who: "", roles: member?.roles ?? [] }}
      fields={() => ({
        who: !member && choice("User or group", [["", "choose a user or a group"], ...choices]),
        roles: checks("Roles", named(roles)),
      })}
      submit={member ? "Save" : "Add the member"}
      send={async ({ who, roles }) => {
        const chosen = member ?? candidates.find((one) => keyOf(one) === who);
        if (!chosen) throw problemAt("who", "Choose a user or a group.");
        if (roles.length === 0) throw problemAt("roles", "Choose at least one role.");
        await onSave({ ...chosen, roles });
      }}
    />
  );
}

/** The users and groups of the server, as members without a role. */
function useCandidates(): Member[] {
  const { users = [], groups = [] } = useRead("GET /api/admin/user-admin/access").data ?? {};
  const rest = { imageUrl: undefined, roles: [] };
  return [
    ...users.map((user) => ({ ...rest, kind: "user" as const, id: user.id, name: nameOf(user) })),
    ...groups.map(({ id, name }) => ({ ...rest, kind: "group" as const, id, name: `group ${name}` })),
  ];
}
