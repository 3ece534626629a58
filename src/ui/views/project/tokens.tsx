import { useState } from "preact/hooks";
import { useDialog } from "../../address.ts";
import type { Output } from "../../api.ts";
import { Answer } from "../../parts/answer.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ChoiceField, choicesOf, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Secret } from "../../parts/secret.tsx";
import { Snippets } from "../../parts/snippets.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { type Project, ProjectFrame } from "./project-frame.tsx";

const TOKENS = "/api/admin/projects/:projectId/api-tokens";

type Token = Output<`GET ${typeof TOKENS}`>["tokens"][number];
type CreatedToken = Output<`POST ${typeof TOKENS}`>;

/** The API tokens of a project, for applications that use its flags. */
export const View = () => (
  <ProjectFrame>{(project, id) => <Tokens project={project} id={id} />}</ProjectFrame>
);

function Tokens({ project, id }: { project: Project; id: string }) {
  const params = { projectId: id };
  const read = useRead(`GET ${TOKENS}`, { params });
  const creating = useDialog("new");
  const revoking = useDialog("revoke");
  const revoked = read.data?.tokens.find(({ secret }) => secret === revoking.of);
  const [created, setCreated] = useState<CreatedToken | undefined>();
  return (
    <>
      <Answer read={read}>
        {({ tokens }) => (
          <TokenTable
            tokens={tokens}
            onRevoke={may("DELETE_PROJECT_API_TOKEN", { project: id }) ? revoking.open : undefined}
          />
        )}
      </Answer>
      {may("CREATE_PROJECT_API_TOKEN", { project: id }) && (
        <Button icon="add" onClick={() => creating.open()}>
          New token
        </Button>
      )}
      {creating.of && <NewToken project={project} id={id} onCreated={setCreated} onClose={creating.close} />}
      {created && (
        <Dialog title={`Token ${created.tokenName}`} onClose={() => setCreated(undefined)} isWide>
          <Secret label="Applications authenticate with this token." value={created.secret} />
          <Snippets token={created.secret} feature="your-flag" isFrontend={created.type === "frontend"} />
        </Dialog>
      )}
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.tokenName}?`}
          action="Revoke"
          onConfirm={() =>
            change(`DELETE ${TOKENS}/:token`, { params: { ...params, token: revoked.secret } })
          }
          onClose={revoking.close}
        >
          Applications that use it will be refused immediately.
        </Confirm>
      )}
    </>
  );
}

interface TokenTableProps {
  tokens: Token[];
  /** Undefined if the user may not revoke tokens. */
  onRevoke: ((secret: string) => void) | undefined;
}

const TokenTable = ({ tokens, onRevoke }: TokenTableProps) => (
  <Table
    caption="Project tokens"
    rows={tokens}
    keyOf={({ secret }) => secret}
    empty="No project tokens yet."
    columns={[
      { title: "Token", kind: "main", cell: ({ tokenName }) => <bdi>{tokenName}</bdi> },
      { title: "Type", cell: ({ type }) => type },
      { title: "Environment", cell: ({ environment }) => <bdi>{environment}</bdi> },
      { title: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
      { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
      onRevoke && {
        title: "Actions",
        kind: "tools",
        cell: ({ secret, tokenName }) => (
          <IconButton icon="remove" label={`Revoke ${tokenName}`} onClick={() => onRevoke(secret)} />
        ),
      },
    ]}
  />
);

interface NewTokenProps {
  project: Project;
  id: string;
  onCreated(token: CreatedToken): void;
  onClose(): void;
}

function NewToken({ project, id, onCreated, onClose }: NewTokenProps) {
  const environments = project.environments.map(({ environment }) => environment);
  const initial = { tokenName: "", type: "client", environment: environments[0] ?? "" };
  const form = useForm(initial, async (body) => {
    const created = await change(`POST ${TOKENS}`, {
      params: { projectId: id },
      body: { ...body, projects: [id] },
    });
    onClose();
    onCreated(created);
  });
  return (
    <Dialog title="New token" onClose={onClose}>
      <Form form={form} submit="Create the token" onCancel={onClose}>
        <TextField form={form} name="tokenName" label="Name" isRequired autofocus />
        <ChoiceField
          form={form}
          name="type"
          label="Type"
          choices={[
            ["client", "client: for servers"],
            ["frontend", "frontend: for browsers and mobile apps"],
          ]}
        />
        <ChoiceField form={form} name="environment" label="Environment" choices={choicesOf(environments)} />
      </Form>
    </Dialog>
  );
}
