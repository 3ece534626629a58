import { useState } from "preact/hooks";
import { useDialog } from "../address.ts";
import type { Input, Output } from "../api.ts";
import { inDays } from "../format.ts";
import { Button, IconButton } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { TextField } from "./fields.tsx";
import { Form, useForm } from "./form.tsx";
import { Table } from "./table.tsx";
import { Time } from "./words.tsx";

type Token = Output<"GET /api/admin/user/tokens">["pats"][number];
type NewToken = Input<"POST /api/admin/user/tokens">["body"];

interface PersonalTokensProps {
  tokens: readonly Token[];
  create(body: NewToken): Promise<unknown>;
  revoke(id: number): Promise<unknown>;
}

/** The tokens of a user or a service account, for scripts that act on its behalf. */
export function PersonalTokens({ tokens, create, revoke }: PersonalTokensProps) {
  const [isNew, setNew] = useState(false);
  const revoking = useDialog("revoke");
  const revoked = tokens.find(({ id }) => String(id) === revoking.of);
  return (
    <>
      <Table
        caption="Tokens"
        rows={tokens}
        keyOf={({ id }) => id}
        empty="No tokens yet."
        columns={[
          { title: "Description", kind: "main", cell: ({ description }) => <bdi>{description}</bdi> },
          { title: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
          { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: "Actions",
            kind: "tools",
            cell: ({ id, description }) => (
              <IconButton
                icon="remove"
                label={`Revoke ${description}`}
                onClick={() => revoking.open(String(id))}
              />
            ),
          },
        ]}
      />
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.description}?`}
          action="Revoke the token"
          onConfirm={() => revoke(revoked.id)}
          onClose={revoking.close}
        >
          Scripts that use it will be refused at once.
        </Confirm>
      )}
      {isNew ? (
        <NewPersonalToken create={create} onClose={() => setNew(false)} />
      ) : (
        <Button icon="add" onClick={() => setNew(true)}>
          New token
        </Button>
      )}
    </>
  );
}

function NewPersonalToken({ create, onClose }: Pick<PersonalTokensProps, "create"> & { onClose(): void }) {
  const initial = { description: "", expiresAt: inDays(90) };
  const form = useForm(initial, async ({ description, expiresAt }) => {
    await create({ description, expiresAt: new Date(expiresAt).toISOString() });
    onClose();
  });
  return (
    <Form form={form} submit="Create the token" onCancel={onClose}>
      <TextField form={form} name="description" label="Token description" isRequired />
      <TextField form={form} name="expiresAt" label="Expires" type="datetime-local" isRequired />
    </Form>
  );
}
