import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Output } from "../../api.ts";
import { nameOf } from "../../format.ts";
import { IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { ChoiceField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Secret } from "../../parts/secret.tsx";
import { Avatar, Time } from "../../parts/words.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin } from "../../session.ts";
import { PeopleTabs } from "./people-tabs.tsx";

type Users = Output<"GET /api/admin/user-admin">;
type User = Users["users"][number];

/** Everyone who can sign in. */
export function View() {
  const read = useRead("GET /api/admin/user-admin");
  const [link, setLink] = useState("");
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
          isAllowed: isAdmin,
          remove: ({ id }) => change("DELETE /api/admin/user-admin/:id", { params: { id } }),
          lossOf: () =>
            "Their sessions, personal tokens and roles will be deleted. Their events stay in the log.",
        }}
        tools={(user) => <ResetPassword user={user} onLink={setLink} />}
      />
      {link !== "" && (
        <Dialog title="Password link" onClose={() => setLink("")} isWide>
          <Secret
            value={new URL(link, document.baseURI).href}
            label="Anyone with this link can set the password. No e-mail is sent: pass it on yourself."
          />
        </Dialog>
      )}
    </>
  );
}

const ResetPassword = ({ user, onLink }: { user: User; onLink(link: string): void }) =>
  user.email === undefined ? null : (
    <IconButton
      icon="key"
      label={`Create a password reset link for ${nameOf(user)}`}
      onClick={async () => {
        const body = { id: user.email! };
        const { resetPasswordUrl } = await change("POST /api/admin/user-admin/reset-password", { body });
        onLink(resetPasswordUrl);
      }}
    />
  );

interface EditorProps {
  row: User | undefined;
  roles: Users["rootRoles"];
  onLink(link: string): void;
  onClose(): void;
}

/** Nobody is asked for somebody else's password: who is made gets a link. */
function UserEditor({ row, roles, onLink, onClose }: EditorProps) {
  const initial = {
    username: row?.username ?? "",
    email: row?.email ?? "",
    name: row?.name ?? "",
    rootRole: String(row?.rootRole ?? roles.find(({ name }) => name === "Viewer")?.id ?? ""),
  };
  const form = useForm(initial, async ({ username, email, name, rootRole }) => {
    const body = {
      rootRole: Number(rootRole),
      ...(email !== "" && { email }),
      ...((row || name !== "") && { name }),
    };
    if (row) {
      await change("PUT /api/admin/user-admin/:id", { params: { id: row.id }, body });
    } else {
      const made = await change("POST /api/admin/user-admin", {
        body: { ...body, ...(username !== "" && { username }) },
      });
      onLink(made.inviteLink ?? "");
    }
    onClose();
  });
  return (
    <Dialog title={row ? nameOf(row) : "New user"} onClose={onClose}>
      <Form form={form} submit={row ? "Save" : "Create the user"} onCancel={onClose}>
        {!row && (
          <TextField
            form={form}
            name="username"
            label="Username"
            hint="A username or an e-mail address is needed."
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
        {row && (
          <p class="muted">
            <Link href="/people/roles">What each role can do</Link>
          </p>
        )}
      </Form>
    </Dialog>
  );
}
