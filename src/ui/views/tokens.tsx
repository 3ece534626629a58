import { useState } from "preact/hooks";
import { useFilter } from "../address.ts";
import type { Output } from "../api.ts";
import { Button, IconButton } from "../parts/controls.tsx";
import { Closing, Confirm, Dialog, FormDialog, Opener } from "../parts/dialog.tsx";
import { type Choice, choice, choicesOf, text } from "../parts/fields.tsx";
import { Search } from "../parts/filters.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { projects, Secret, Snippets, TOKEN_TIMES } from "../parts/tokens.tsx";
import { Answer, Heading, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, may } from "../session.ts";
import { inProject } from "./project/frame.tsx";

type Token = Output<"GET /api/admin/api-tokens">["tokens"][number];
type CreatedToken = Output<"POST /api/admin/api-tokens">;

/** API tokens: credentials of applications and scripts, which belong to no user. */
export function Tokens() {
  const query = useFilter("query")[0].toLowerCase();
  const environments = useRead("GET /api/admin/environments").data?.environments;
  const read = useRead("GET /api/admin/api-tokens");
  const matches = ({ tokenName, type, environment, projects }: Token) =>
    [tokenName, type, environment, ...projects].join(" ").toLowerCase().includes(query);
  return (
    <>
      <Heading title="Tokens">
        <Search label="Search tokens" />
        <NewToken
          isAllowed={mayDo("CREATE")}
          kind="main"
          types={[
            ...(may("CREATE_CLIENT_API_TOKEN") ? [CLIENT] : []),
            ...(may("CREATE_FRONTEND_API_TOKEN") ? [FRONTEND] : []),
            ...(isAdmin() ? [ADMIN] : []),
          ]}
          environments={environments?.map(({ name }) => name)}
          hasProjects
          create={(body) => change("POST /api/admin/api-tokens", { body })}
        />
      </Heading>
      <Answer read={read}>
        {({ tokens }) => (
          <TokenTable
            caption="Tokens"
            tokens={tokens}
            matches={matches}
            empty="No tokens found."
            columns={[
              ["Name", ({ tokenName }) => <bdi>{tokenName}</bdi>, "main"],
              ["Type", ({ type }) => type],
              ["Projects", ({ projects }) => (projects.includes("*") ? "all" : projects.join(", "))],
              ["Environment", ({ environment }) => (environment === "*" ? "all" : environment)],
            ]}
            mayRevoke={mayDo("DELETE")}
            revoke={(token) => change("DELETE /api/admin/api-tokens/:token", { params: { token } })}
          />
        )}
      </Answer>
    </>
  );
}

/** Whether the user may do it with some type of token; the server knows which. */
const mayDo = (action: "CREATE" | "DELETE") =>
  may(`${action}_CLIENT_API_TOKEN`) || may(`${action}_FRONTEND_API_TOKEN`);

interface TokenTableProps {
  caption: string;
  tokens: readonly Token[];
  matches?(token: Token): boolean;
  empty: string;
  /** What comes before when they were used and created. */
  columns: ReadonlyArray<Column<Token>>;
  mayRevoke: boolean;
  revoke(secret: string): Promise<unknown>;
}

function TokenTable(props: TokenTableProps) {
  const { caption, tokens, matches = () => true, empty, columns, mayRevoke, revoke } = props;
  const [revoking, setRevoking] = useState<string>(); // not in the URL, as it may be a secret
  const revoked = tokens.find(({ secret }) => secret === revoking);
  const tools = ({ secret, tokenName }: Token) => (
    <IconButton icon="remove" label={`Revoke ${tokenName}`} onClick={() => setRevoking(secret)} />
  );
  return (
    <>
      <Table
        caption={caption}
        rows={tokens.filter(matches)}
        keyOf={({ secret }) => secret}
        empty={empty}
        columns={[...columns, ...TOKEN_TIMES, mayRevoke && ["Actions", tools, "tools"]]}
      />
      {revoked && (
        <Closing.Provider value={() => setRevoking(undefined)}>
          <Confirm
            title={`Revoke ${revoked.tokenName}?`}
            action="Revoke the token"
            onConfirm={() => revoke(revoked.secret)}
          >
            Applications that use it will be refused immediately, and many SDKs then stop polling. It was last
            seen <Time at={revoked.seenAt} />.
          </Confirm>
        </Closing.Provider>
      )}
    </>
  );
}

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
  isAllowed: boolean;
  kind?: "main";
  types: readonly Choice[];
  /** Undefined until they are known. */
  environments: readonly string[] | undefined;
  /** Whether it may be for several projects. */
  hasProjects?: boolean;
  create(body: Draft): Promise<CreatedToken>;
}

type Draft = Record<"tokenName" | "type", string> & {
  environment?: string;
  projects?: string[];
  expiresAt?: string;
};

/** The button that creates a token, whose secret is shown then. */
function NewToken({ types, environments, hasProjects = false, create, ...button }: NewTokenProps) {
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <>
      <Opener {...button} label="New token" icon="add" parameter="new">
        {environments && (
          <FormDialog
            title="New token"
            initial={{
              tokenName: "",
              type: types[0]?.[0] ?? "client",
              environment: environments[0] ?? "",
              projects: [] as readonly string[],
              expiresAt: "",
            }}
            fields={({ values: { type } }) => ({
              tokenName: text("Name", { required: true }),
              type: choice("Type", types),
              environment: type !== "admin" && choice("Environment", choicesOf(environments)),
              projects: hasProjects && type !== "admin" && projects,
              expiresAt: text("Expires", {
                type: "datetime-local",
                hint: "Leave empty for a token that never expires.",
              }),
            })}
            submit="Create the token"
            send={({ tokenName, type, environment, projects, expiresAt }) =>
              create({
                tokenName,
                type,
                ...(expiresAt !== "" && { expiresAt: new Date(expiresAt).toISOString() }),
                ...(type !== "admin" && {
                  environment,
                  projects: projects.length > 0 ? [...projects] : ["*"],
                }),
              })
            }
            onSent={setCreated}
          />
        )}
      </Opener>
      {created && <Created token={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}

const TOKENS = "/api/admin/projects/:projectId/api-tokens";

/** The API tokens of a project, for applications that use its flags. */
export const ProjectTokens = inProject(({ project, id }) => {
  const params = { projectId: id };
  return (
    <>
      <Answer read={useRead(`GET ${TOKENS}`, { params })}>
        {({ tokens }) => (
          <TokenTable
            caption="Project tokens"
            tokens={tokens}
            empty="No project tokens yet."
            columns={[
              ["Token", ({ tokenName }) => <bdi>{tokenName}</bdi>, "main"],
              ["Type", ({ type }) => type],
              ["Environment", ({ environment }) => <bdi>{environment}</bdi>],
            ]}
            mayRevoke={may("DELETE_PROJECT_API_TOKEN", { project: id })}
            revoke={(token) => change(`DELETE ${TOKENS}/:token`, { params: { ...params, token } })}
          />
        )}
      </Answer>
      <NewToken
        isAllowed={may("CREATE_PROJECT_API_TOKEN", { project: id })}
        types={[CLIENT, FRONTEND]}
        environments={project.environments.map(({ environment }) => environment)}
        create={(body) => change(`POST ${TOKENS}`, { params, body: { ...body, projects: [id] } })}
      />
    </>
  );
});
