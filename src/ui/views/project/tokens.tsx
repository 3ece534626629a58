import { useState } from "preact/hooks";
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
type Made = Output<`POST ${typeof TOKENS}`>;

/** By what applications ask for the flags of a project. */
export const View = () => (
  <ProjectFrame>{(project, id) => <Tokens project={project} id={id} />}</ProjectFrame>
);

function Tokens({ project, id }: { project: Project; id: string }) {
  const params = { projectId: id };
  const read = useRead(`GET ${TOKENS}`, { params });
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<Made | undefined>();
  const [revoked, setRevoked] = useState<Token | undefined>();
  return (
    <>
      <Answer read={read}>
        {({ tokens }) => (
          <TokenTable
            tokens={tokens}
            onRevoke={may("DELETE_PROJECT_API_TOKEN", { project: id }) ? setRevoked : undefined}
          />
        )}
      </Answer>
      {may("CREATE_PROJECT_API_TOKEN", { project: id }) && (
        <Button icon="add" onClick={() => setNew(true)}>
          New token
        </Button>
      )}
      {isNew && <NewToken project={project} id={id} onMade={setMade} onClose={() => setNew(false)} />}
      {made && (
        <Dialog title={`Token ${made.tokenName}`} onClose={() => setMade(undefined)} isWide>
          <Secret label="Applications authenticate with this token." value={made.secret} />
          <Snippets token={made.secret} feature="your-flag" isFrontend={made.type === "frontend"} />
        </Dialog>
      )}
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.tokenName}?`}
          action="Revoke"
          onConfirm={() =>
            change(`DELETE ${TOKENS}/:token`, { params: { ...params, token: revoked.secret } })
          }
          onClose={() => setRevoked(undefined)}
        >
          Applications that use it will be refused at once.
        </Confirm>
      )}
    </>
  );
}

interface TokenTableProps {
  tokens: Token[];
  /** Only where they may. */
  onRevoke: ((token: Token) => void) | undefined;
}

const TokenTable = ({ tokens, onRevoke }: TokenTableProps) => (
  <Table
    caption="Tokens of the project"
    rows={tokens}
    keyOf={({ secret }) => secret}
    empty="No tokens for this project alone."
    columns={[
      { title: "Token", kind: "main", cell: ({ tokenName }) => <bdi>{tokenName}</bdi> },
      { title: "Type", cell: ({ type }) => type },
      { title: "Environment", cell: ({ environment }) => <bdi>{environment}</bdi> },
      { title: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
      { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
      onRevoke && {
        title: "Actions",
        kind: "tools",
        cell: (token) => (
          <IconButton icon="remove" label={`Revoke ${token.tokenName}`} onClick={() => onRevoke(token)} />
        ),
      },
    ]}
  />
);

interface NewTokenProps {
  project: Project;
  id: string;
  onMade(token: Made): void;
  onClose(): void;
}

function NewToken({ project, id, onMade, onClose }: NewTokenProps) {
  const environments = project.environments.map(({ environment }) => environment);
  const initial = { tokenName: "", type: "client", environment: environments[0] ?? "" };
  const form = useForm(initial, async (body) => {
    const made = await change(`POST ${TOKENS}`, {
      params: { projectId: id },
      body: { ...body, projects: [id] },
    });
    onClose();
    onMade(made);
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
