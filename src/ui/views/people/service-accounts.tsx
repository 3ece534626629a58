import { useState } from "preact/hooks";
import { useDialog } from "../../address.ts";
import type { Output } from "../../api.ts";
import { nameOf } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EditableList } from "../../parts/editable-list.tsx";
import { ChoiceField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { PersonalTokens } from "../../parts/personal-tokens.tsx";
import { Secret } from "../../parts/secret.tsx";
import { Time } from "../../parts/words.tsx";
import { change, mapRead, useRead } from "../../reads.ts";
import { isAdmin } from "../../session.ts";
import { PeopleTabs } from "./people-tabs.tsx";

type Accounts = Output<"GET /api/admin/service-account">;
type Account = Accounts["serviceAccounts"][number];

/** Accounts for programs, with their own tokens. */
export function View() {
  const tokens = useDialog("tokens");
  const read = useRead("GET /api/admin/service-account");
  const roles = read.data?.rootRoles ?? [];
  const opened = read.data?.serviceAccounts.find(({ id }) => String(id) === tokens.of);
  return (
    <>
      <EditableList<Account>
        title="Service accounts"
        noun="service account"
        above={<PeopleTabs />}
        read={mapRead(read, ({ serviceAccounts }) => serviceAccounts)}
        keyOf={({ id }) => String(id)}
        nameOf={nameOf}
        columns={[
          { title: "Name", kind: "main", cell: (account) => <bdi>{nameOf(account)}</bdi> },
          { title: "Username", cell: ({ username }) => <bdi>{username}</bdi> },
          { title: "Root role", cell: ({ rootRole }) => roles.find(({ id }) => id === rootRole)?.name },
          { title: "Tokens", kind: "number", cell: ({ tokens }) => tokens.length },
          { title: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
        ]}
        editor={(props) => <AccountEditor {...props} roles={roles} />}
        mayCreate={isAdmin()}
        mayChange={isAdmin}
        removal={{
          isAllowed: isAdmin,
          remove: ({ id }) => change("DELETE /api/admin/service-account/:id", { params: { id } }),
          lossOf: () => "Its tokens stop working immediately. Its events stay in the log.",
        }}
        tools={({ id }) => (
          <Button icon="key" onClick={() => tokens.open(String(id))}>
            Tokens
          </Button>
        )}
      />
      {opened && <AccountTokens account={opened} onClose={tokens.close} />}
    </>
  );
}

function AccountTokens({ account, onClose }: { account: Account; onClose(): void }) {
  const [secret, setSecret] = useState("");
  const { id } = account;
  return (
    <Dialog title={`Tokens of ${nameOf(account)}`} onClose={onClose} isWide>
      {secret !== "" && <Secret value={secret} label="Your new token." />}
      <PersonalTokens
        tokens={account.tokens}
        create={async (body) => {
          const created = await change("POST /api/admin/service-account/:id/token", { params: { id }, body });
          setSecret(created.secret ?? "");
        }}
        revoke={(tokenId) =>
          change("DELETE /api/admin/service-account/:id/token/:tokenId", { params: { id, tokenId } })
        }
      />
    </Dialog>
  );
}

interface EditorProps {
  row: Account | undefined;
  roles: Accounts["rootRoles"];
  onClose(): void;
}

function AccountEditor({ row, roles, onClose }: EditorProps) {
  const initial = {
    username: row?.username ?? "",
    name: row?.name ?? "",
    rootRole: String(row?.rootRole ?? roles.find(({ name }) => name === "Viewer")?.id ?? ""),
  };
  const form = useForm(initial, async ({ username, name, rootRole: role }) => {
    const rootRole = Number(role);
    if (row) {
      const params = { id: row.id };
      await change("PUT /api/admin/service-account/:id", { params, body: { name, rootRole } });
    } else await change("POST /api/admin/service-account", { body: { username, name, rootRole } });
    onClose();
  });
  return (
    <Dialog title={row ? nameOf(row) : "New service account"} onClose={onClose}>
      <Form form={form} submit={row ? "Save" : "Create the service account"} onCancel={onClose}>
        {!row && <TextField form={form} name="username" label="Username" isRequired autofocus />}
        <TextField form={form} name="name" label="Name" isRequired />
        <ChoiceField
          form={form}
          name="rootRole"
          label="Root role"
          choices={roles.map(({ id, name }) => [String(id), name])}
        />
      </Form>
    </Dialog>
  );
}
