import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Output } from "../../api.ts";
import { nameOf } from "../../format.ts";
import { IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EditForm, useEdit, type Version } from "../../parts/edit.tsx";
import { EditDialog } from "../../parts/edit-dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { ChoiceField, TextField } from "../../parts/fields.tsx";
import { Secret } from "../../parts/secret.tsx";
import { Avatar, Time } from "../../parts/words.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin, ownUser } from "../../session.ts";
import { createPasswordLink } from "./password-link.ts";
import { PeopleTabs } from "./people-tabs.tsx";

type Users = Output<"GET /api/admin/user-admin">;
type User = Users["users"][number];

/** Everyone who can sign in. */
export function View() {
  const read = useRead("GET /api/admin/user-admin");
  const [link, setLink] = useState<PasswordLink | undefined>();
  const roles = read.data?.rootRoles ?? [];
  return (
    <>
      <EditableList<User>
        title="Users"
        noun="user"
        above={<PeopleTabs />}
        read={mapRead(read, ({ users }) => users)}
        keyOf={({ id }) => String(id)}
        nameOf={nameOf}
        columns={[
          {
            title: "Name",
            kind: "main",
            cell: (user) => (
              <>
                <Avatar url={user.imageUrl} /> <bdi>{nameOf(user)}</bdi>
              </>
            ),
          },
          { title: "Username", cell: ({ username }) => <bdi>{username}</bdi> },
          { title: "E-mail", cell: ({ email }) => <bdi>{email}</bdi> },
          { title: "Root role", cell: ({ rootRole }) => roles.find(({ id }) => id === rootRole)?.name },
          { title: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
          { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        editor={(props) => <UserEditor {...props} roles={roles} onLink={setLink} />}
        mayCreate={isAdmin()}
        mayChange={isAdmin}
        removal={{
          isAllowed: ({ id }) => isAdmin() && id !== ownUser()?.id,
          remove: ({ id }) => change("DELETE /api/admin/user-admin/:id", { params: { id } }),
          lossOf: () =>
            "Their sessions, personal tokens and roles will be deleted. Their events stay in the log.",
        }}
        tools={(user) => <ResetPassword user={user} onLink={setLink} />}
      />
      {link && (
        <Dialog title={`Password link for ${link.name}`} onClose={() => setLink(undefined)} isWide>
          <Secret
            value={new URL(link.path, document.baseURI).href}
            label="For 24 hours, anyone with this link can set the password, once. No e-mail is sent: pass it on yourself."
          />
        </Dialog>
      )}
    </>
  );
}

/** A link for setting a password, to be shown once. */
interface PasswordLink {
  /** Whom it is for. */
  name: string;
  path: string;
}

const ResetPassword = ({ user, onLink }: { user: User; onLink(link: PasswordLink): void }) => (
  <IconButton
    icon="key"
    label={`Create a password reset link for ${nameOf(user)}`}
    onClick={async () => onLink({ name: nameOf(user), path: await createPasswordLink(user) })}
  />
);

const USER = "/api/admin/user-admin/:id";

interface EditorProps {
  roles: Users["rootRoles"];
  onLink(link: PasswordLink): void;
  onClose(): void;
}

const UserEditor = ({ row, ...rest }: EditorProps & { row: User | undefined }) => (
  <EditDialog
    title={row ? nameOf(row) : "New user"}
    of={row && [`GET ${USER}`, { params: { id: row.id } }]}
    onClose={rest.onClose}
  >
    {(version) => <UserForm {...version} {...rest} />}
  </EditDialog>
);

type Now = Output<`GET ${typeof USER}`> | undefined;

/** Has no password field: new users set their own by a link. */
function UserForm({ now, read, roles, onLink, onClose }: EditorProps & Version<Now>) {
  const viewer = roles.find(({ name }) => name === "Viewer")?.id;
  const edit = useEdit({
    now,
    read,
    toValues: (now: Now) => ({
      username: now?.username ?? "",
      email: now?.email ?? "",
      name: now?.name ?? "",
      rootRole: String(now?.rootRole ?? viewer ?? ""),
    }),
    async save({ username, email, name, rootRole }, ifStill) {
      const body = { rootRole: Number(rootRole), ...(email !== "" && { email }) };
      if (ifStill)
        await change(`PUT ${USER}`, { params: { id: ifStill.id }, body: { ...body, name }, ifStill });
      else {
        const names = { ...(username !== "" && { username }), ...(name !== "" && { name }) };
        const created = await change("POST /api/admin/user-admin", { body: { ...body, ...names } });
        if (created.inviteLink) onLink({ name: nameOf(created), path: created.inviteLink });
      }
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the user"} onCancel={onClose}>
      {!now && (
        <TextField
          form={form}
          name="username"
          label="Username"
          hint="A username or an e-mail address is required."
          autofocus
        />
      )}
      <TextField form={form} name="email" label="E-mail address" type="email" />
      <TextField form={form} name="name" label="Name" />
      <ChoiceField
        form={form}
        name="rootRole"
        label="Root role"
        choices={roles.map(({ id, name }) => [String(id), name])}
      />
      {now && (
        <p class="muted">
          <Link href="/people/roles">What each role can do</Link>
        </p>
      )}
    </EditForm>
  );
}
