import { useState } from "preact/hooks";
import type { Output } from "../../api.ts";
import { inDays } from "../../format.ts";
import { Switch } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Secret } from "../../parts/secret.tsx";
import { Time } from "../../parts/words.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin } from "../../session.ts";
import { PeopleTabs } from "./people-tabs.tsx";

type Invitation = Output<"GET /api/admin/invite-link/tokens">["tokens"][number];

/** Links with which people sign up. */
export function View() {
  const read = useRead("GET /api/admin/invite-link/tokens");
  const [link, setLink] = useState("");
  return (
    <>
      <EditableList<Invitation>
        title="Invitations"
        noun="invitation"
        above={<PeopleTabs />}
        read={mapRead(read, ({ tokens }) => tokens)}
        keyOf={({ secret }) => secret}
        nameOf={({ name }) => name}
        columns={[
          { title: "Name", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
          { title: "Role", cell: ({ role }) => role.name },
          { title: "Users created", kind: "number", cell: ({ users }) => users.length },
          { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: "Enabled", cell: (invitation) => <Enabled invitation={invitation} /> },
        ]}
        editor={({ onClose }) => <NewInvitation onLink={setLink} onClose={onClose} />}
        mayCreate={isAdmin()}
      />
      {link !== "" && (
        <Dialog title="Invitation link" onClose={() => setLink("")} isWide>
          <Secret
            value={new URL(link.replace(/^\//, ""), document.baseURI).href}
            label="Anyone with this link can create an account with the Viewer role."
          />
        </Dialog>
      )}
    </>
  );
}

const Enabled = ({ invitation: { name, secret, enabled } }: { invitation: Invitation }) => (
  <Switch
    isOn={enabled}
    label={`Invitation ${name}`}
    disabled={!isAdmin()}
    onChange={(isOn) =>
      change("PUT /api/admin/invite-link/tokens/:token", {
        params: { token: secret },
        body: { enabled: isOn },
      })
    }
  />
);

function NewInvitation({ onLink, onClose }: { onLink(link: string): void; onClose(): void }) {
  const form = useForm({ name: "", expiresAt: inDays(7) }, async ({ name, expiresAt }) => {
    const body = { name, expiresAt: new Date(expiresAt).toISOString() };
    const created = await change("POST /api/admin/invite-link/tokens", { body });
    onLink(created.url);
    onClose();
  });
  return (
    <Dialog title="New invitation" onClose={onClose}>
      <Form form={form} submit="Create the invitation" onCancel={onClose}>
        <TextField form={form} name="name" label="Name" isRequired autofocus />
        <TextField form={form} name="expiresAt" label="Expires" type="datetime-local" isRequired />
      </Form>
    </Dialog>
  );
}
