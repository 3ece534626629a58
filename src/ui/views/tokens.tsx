import { useState } from "preact/hooks";
import { useDialog, useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { Answer } from "../parts/answer.tsx";
import { Button, IconButton } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SearchField } from "../parts/search.tsx";
import { Secret } from "../parts/secret.tsx";
import { Snippets } from "../parts/snippets.tsx";
import { Table } from "../parts/table.tsx";
import { Heading, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may } from "../session.ts";
import { NewToken } from "./new-token.tsx";

type Token = Output<"GET /api/admin/api-tokens">["tokens"][number];
export type CreatedToken = Output<"POST /api/admin/api-tokens">;

/** API tokens: credentials of applications and scripts, which belong to no user. */
export function View() {
  const [filters, setFilters] = useFilters({ query: "" });
  const creating = useDialog("new");
  const [revoking, setRevoking] = useState<string>(); // not in the URL, as it may be a secret
  const [created, setCreated] = useState<CreatedToken>();
  const read = useRead("GET /api/admin/api-tokens");
  const query = filters.query.toLowerCase();
  const matches = ({ tokenName, type, environment, projects }: Token) =>
    [tokenName, type, environment, ...projects].join(" ").toLowerCase().includes(query);
  return (
    <>
      <Heading title="Tokens">
        <SearchField
          label="Search tokens"
          value={filters.query}
          onSearch={(query) => setFilters({ query })}
        />
        {mayDo("CREATE") && (
          <Button kind="main" icon="add" onClick={() => creating.open()}>
            New token
          </Button>
        )}
      </Heading>
      <Answer read={read}>
        {({ tokens }) => (
          <>
            <Tokens tokens={tokens.filter(matches)} onRevoke={setRevoking} />
            <Revoke
              token={tokens.find(({ secret }) => secret === revoking)}
              onClose={() => setRevoking(undefined)}
            />
          </>
        )}
      </Answer>
      {creating.of && <NewToken onCreated={setCreated} onClose={creating.close} />}
      {created && <CreatedTokenDialog token={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}

/** Whether the user may do it with some type of token; the server knows which. */
const mayDo = (action: "CREATE" | "DELETE") =>
  may(`${action}_CLIENT_API_TOKEN`) || may(`${action}_FRONTEND_API_TOKEN`);

const Tokens = ({ tokens, onRevoke }: { tokens: Token[]; onRevoke(secret: string): void }) => (
  <Table
    caption="Tokens"
    rows={tokens}
    keyOf={({ secret }) => secret}
    empty="No tokens found."
    columns={[
      { title: "Name", kind: "main", cell: ({ tokenName }) => <bdi>{tokenName}</bdi> },
      { title: "Type", cell: ({ type }) => type },
      {
        title: "Projects",
        cell: ({ projects }) => (projects.includes("*") ? "all" : projects.join(", ")),
      },
      { title: "Environment", cell: ({ environment }) => (environment === "*" ? "all" : environment) },
      { title: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
      { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
      { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        title: "Actions",
        kind: "tools",
        cell: ({ secret, tokenName }) =>
          mayDo("DELETE") && (
            <IconButton icon="remove" label={`Revoke ${tokenName}`} onClick={() => onRevoke(secret)} />
          ),
      },
    ]}
  />
);

function Revoke({ token, onClose }: { token: Token | undefined; onClose(): void }) {
  if (!token) return null;
  return (
    <Confirm
      title={`Revoke ${token.tokenName}?`}
      action="Revoke the token"
      onConfirm={() => change("DELETE /api/admin/api-tokens/:token", { params: { token: token.secret } })}
      onClose={onClose}
    >
      Applications that use it will be refused immediately, and many SDKs then stop polling. It was last seen{" "}
      <Time at={token.seenAt} />.
    </Confirm>
  );
}

/** Shows the secret, this once, and how to use it. */
const CreatedTokenDialog = ({ token, onClose }: { token: CreatedToken; onClose(): void }) => (
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
