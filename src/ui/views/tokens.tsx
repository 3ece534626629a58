import { useState } from "preact/hooks";
import { useDialog, useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { Answer } from "../parts/answer.tsx";
import { Button, IconButton } from "../parts/controls.tsx";
import { Confirm, Dialog, FormDialog, Opener } from "../parts/dialog.tsx";
import { type Choice, choice, choicesOf, text, useForm } from "../parts/form.tsx";
import { type Column, Search, Table } from "../parts/table.tsx";
import { projects, Secret, Snippets, TOKEN_TIMES } from "../parts/tokens.tsx";
import { Heading, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, may } from "../session.ts";
import { type Project, ProjectFrame } from "./project/frame.tsx";

type Token = Output<"GET /api/admin/api-tokens">["tokens"][number];
type CreatedToken = Output<"POST /api/admin/api-tokens">;

/** API tokens: credentials of applications and scripts, which belong to no user. */
export function Tokens() {
  const [filters, setFilters] = useFilters({ query: "" });
  const [revoking, setRevoking] = useState<string>(); // not in the URL, as it may be a secret
  const [created, setCreated] = useState<CreatedToken>();
  const read = useRead("GET /api/admin/api-tokens");
  const query = filters.query.toLowerCase();
  const matches = ({ tokenName, type, environment, projects }: Token) =>
    [tokenName, type, environment, ...projects].join(" ").toLowerCase().includes(query);
  return (
    <>
      <Heading title="Tokens">
        <Search label="Search tokens" value={filters.query} onChange={(query) => setFilters({ query })} />
        <Opener isAllowed={mayDo("CREATE")} label="New token" kind="main" icon="add" parameter="new">
          {(onClose) => <NewToken onCreated={setCreated} onClose={onClose} />}
        </Opener>
      </Heading>
      <Answer read={read}>
        {({ tokens }) => {
          const revoked = tokens.find(({ secret }) => secret === revoking);
          return (
            <>
              <Table
                caption="Tokens"
                rows={tokens.filter(matches)}
                keyOf={({ secret }) => secret}
                empty="No tokens found."
                columns={[
                  { title: "Name", kind: "main", cell: ({ tokenName }) => <bdi>{tokenName}</bdi> },
                  { title: "Type", cell: ({ type }) => type },
                  {
                    title: "Projects",
                    cell: ({ projects }) => (projects.includes("*") ? "all" : projects.join(", ")),
                  },
                  {
                    title: "Environment",
                    cell: (one) => (one.environment === "*" ? "all" : one.environment),
                  },
                  ...TOKEN_TIMES,
                  mayDo("DELETE") && revokeColumn(setRevoking),
                ]}
              />
              {revoked && (
                <Revoke
                  token={revoked}
                  revoke={() =>
                    change("DELETE /api/admin/api-tokens/:token", { params: { token: revoked.secret } })
                  }
                  onClose={() => setRevoking(undefined)}
                />
              )}
            </>
          );
        }}
      </Answer>
      {created && <Created token={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}

/** Whether the user may do it with some type of token; the server knows which. */
const mayDo = (action: "CREATE" | "DELETE") =>
  may(`${action}_CLIENT_API_TOKEN`) || may(`${action}_FRONTEND_API_TOKEN`);

const revokeColumn = (onRevoke: (secret: string) => void): Column<Token> => ({
  title: "Actions",
  kind: "tools",
  cell: ({ secret, tokenName }) => (
    <IconButton icon="remove" label={`Revoke ${tokenName}`} onClick={() => onRevoke(secret)} />
  ),
});

interface RevokeProps {
  token: Token;
  revoke(): Promise<unknown>;
  onClose(): void;
}

const Revoke = ({ token, revoke, onClose }: RevokeProps) => (
  <Confirm
    title={`Revoke ${token.tokenName}?`}
    action="Revoke the token"
    onConfirm={revoke}
    onClose={onClose}
  >
    Applications that use it will be refused immediately, and many SDKs then stop polling. It was last seen{" "}
    <Time at={token.seenAt} />.
  </Confirm>
);

/** Shows the secret, this once, and how to use it. */
const Created = ({ token, onClose }: { token: CreatedToken; onClose(): void }) => (
  <Dialog title={`Token ${token.tokenName}`} onClose={onClose} isWide>
    <Secret value={token.secret} label="Your new token." />
    {token.type !== "admin" && (
      <Snippets token={token.secret} feature="my-flag" isFrontend={token.type === "frontend"} />
    )}
    <div class="submit">
      <Button kind="main" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  </Dialog>
);

const CLIENT: Choice = ["client", "client: for servers; reads flag configurations"];
const FRONTEND: Choice = ["frontend", "frontend: for browsers and mobile apps; reads evaluated flags only"];
const ADMIN: Choice = ["admin", "admin: for scripts; full access"];

interface NewTokenProps {
  onCreated(token: CreatedToken): void;
  onClose(): void;
}

function NewToken(props: NewTokenProps) {
  const environments = useRead("GET /api/admin/environments").data?.environments;
  return environments ? (
    <NewTokenForm {...props} environments={environments.map(({ name }) => name)} />
  ) : null;
}

function NewTokenForm({ environments, onCreated, onClose }: NewTokenProps & { environments: string[] }) {
  const types = [
    ...(may("CREATE_CLIENT_API_TOKEN") ? [CLIENT] : []),
    ...(may("CREATE_FRONTEND_API_TOKEN") ? [FRONTEND] : []),
    ...(isAdmin() ? [ADMIN] : []),
  ];
  const initial: NewTokenValues = {
    tokenName: "",
    type: types[0]?.[0] ?? "client",
    environment: environments[0] ?? "",
    projects: [],
    expiresAt: "",
  };
  const form = useForm(initial, async (values) => {
    const created = await change("POST /api/admin/api-tokens", { body: toBody(values) });
    onClose();
    onCreated(created);
  });
  const isForApplications = form.values.type !== "admin";
  const fields = {
    tokenName: text("Name", { required: true }),
    type: choice("Type", types),
    environment: isForApplications && choice("Environment", choicesOf(environments)),
    projects: isForApplications && projects,
    expiresAt: text("Expires", {
      type: "datetime-local",
      hint: "Leave empty for a token that never expires.",
    }),
  };
  return (
    <FormDialog title="New token" form={form} fields={fields} submit="Create the token" onClose={onClose} />
  );
}

type NewTokenValues = {
  tokenName: string;
  type: string;
  environment: string;
  projects: readonly string[];
  expiresAt: string;
};

const toBody = ({ tokenName, type, environment, projects, expiresAt }: NewTokenValues) => ({
  tokenName,
  type,
  ...(expiresAt !== "" && { expiresAt: new Date(expiresAt).toISOString() }),
  ...(type !== "admin" && { environment, projects: projects.length > 0 ? [...projects] : ["*"] }),
});

const TOKENS = "/api/admin/projects/:projectId/api-tokens";

/** The API tokens of a project, for applications that use its flags. */
export const ProjectTokens = () => (
  <ProjectFrame>{(project, id) => <OfProject project={project} id={id} />}</ProjectFrame>
);

function OfProject({ project, id }: { project: Project; id: string }) {
  const params = { projectId: id };
  const read = useRead(`GET ${TOKENS}`, { params });
  const revoking = useDialog("revoke");
  const revoked = read.data?.tokens.find(({ secret }) => secret === revoking.of);
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <>
      <Answer read={read}>
        {({ tokens }) => (
          <Table
            caption="Project tokens"
            rows={tokens}
            keyOf={({ secret }) => secret}
            empty="No project tokens yet."
            columns={[
              { title: "Token", kind: "main", cell: ({ tokenName }) => <bdi>{tokenName}</bdi> },
              { title: "Type", cell: ({ type }) => type },
              { title: "Environment", cell: ({ environment }) => <bdi>{environment}</bdi> },
              ...TOKEN_TIMES,
              may("DELETE_PROJECT_API_TOKEN", { project: id }) && revokeColumn(revoking.open),
            ]}
          />
        )}
      </Answer>
      <Opener
        isAllowed={may("CREATE_PROJECT_API_TOKEN", { project: id })}
        label="New token"
        icon="add"
        parameter="new"
      >
        {(onClose) => <NewProjectToken project={project} id={id} onCreated={setCreated} onClose={onClose} />}
      </Opener>
      {created && <Created token={created} onClose={() => setCreated(undefined)} />}
      {revoked && (
        <Revoke
          token={revoked}
          revoke={() => change(`DELETE ${TOKENS}/:token`, { params: { ...params, token: revoked.secret } })}
          onClose={revoking.close}
        />
      )}
    </>
  );
}

interface NewProjectTokenProps extends NewTokenProps {
  project: Project;
  id: string;
}

function NewProjectToken({ project, id, onCreated, onClose }: NewProjectTokenProps) {
  const environments = project.environments.map(({ environment }) => environment);
  const initial = { tokenName: "", type: "client", environment: environments[0] ?? "" };
  const form = useForm(initial, async (values) => {
    const body = { ...values, projects: [id] };
    const created = await change(`POST ${TOKENS}`, { params: { projectId: id }, body });
    onClose();
    onCreated(created);
  });
  const fields = {
    tokenName: text("Name", { required: true }),
    type: choice("Type", [CLIENT, FRONTEND]),
    environment: choice("Environment", choicesOf(environments)),
  };
  return (
    <FormDialog title="New token" form={form} fields={fields} submit="Create the token" onClose={onClose} />
  );
}
