import * as v from "valibot";
import { CLI } from "../access/actor.ts";
import { TOKEN_TYPES, toTokenType } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { write } from "../events/write.ts";
import { UsageError } from "../lib/usage-error.ts";
import { Time } from "../lib/validation.ts";
import { allOrSome, createToken, type NewToken, revokeToken, tokens } from "../people/tokens-store.ts";
import { type Context, command, JSON_OPTION } from "./command.ts";
import { dataFile, dataFileToRead } from "./data-file.ts";
import { checkedOr, requireName, requireUser } from "./name.ts";
import { printList, printResult } from "./output.ts";
import { useConfiguredKey } from "./secrets.ts";

const CREATE_OPTIONS = {
  user: { hint: "USER", help: "the user to act as (id, username or e-mail); for the type user" },
  type: { hint: TOKEN_TYPES.join("|"), help: "the type of token (user); backend is another name for client" },
  project: { multiple: true, hint: "ID", help: "for client and frontend; may be repeated (all)" },
  environment: { hint: "NAME", help: "for client and frontend" },
  expires: { hint: "TIME", help: "expire at this RFC 3339 time (never)" },
  ...JSON_OPTION,
} as const;

export const tokenCreate = command({
  name: "token create",
  summary: "Create a token and print its secret, which can't be shown again",
  usage: "NAME",
  example: "token create ci --user admin --expires 2027-01-01T00:00:00Z",
  settings: ["data", "secret-key-file"],
  options: CREATE_OPTIONS,
  run(context) {
    using db = dataFile(context.config);
    useConfiguredKey(context.config, db);
    const token = toNewToken(db, context);
    const { id, secret } = write(db, CLI, (tx) => createToken(tx, token));
    printResult(context, { id, name: token.name, type: token.type, secret }, secret);
  },
});

export const tokenList = command({
  name: "token list",
  summary: "List the tokens, without their secrets",
  example: "token list",
  settings: ["data"],
  options: JSON_OPTION,
  run(context) {
    using db = dataFileToRead(context.config);
    const columns = ["id", "type", "name", "user", "projects", "environment", "createdAt", "expiresAt"];
    printList(context, tokens(db), columns);
  },
});

export const tokenRevoke = command({
  name: "token revoke",
  summary: "Revoke a token, even while a server is using the file",
  usage: "ID",
  example: "token revoke 3",
  settings: ["data"],
  run({ args: [id = ""], config, print }) {
    using db = dataFile(config);
    const isRevoked = /^\d+$/.test(id) && write(db, CLI, (tx) => revokeToken(tx, Number(id)));
    if (!isRevoked)
      throw new Error(`There is no token with the id ${id}: list the tokens with flagstone token list`);
    print(`Revoked token ${id}`);
  },
});

function toNewToken(db: Database, { args: [name = ""], options }: Context<typeof CREATE_OPTIONS>): NewToken {
  const type = TOKEN_TYPES.find((candidate) => candidate === toTokenType(options.type ?? "user"));
  if (!type) throw new UsageError(`--type: must be one of ${TOKEN_TYPES.join(", ")}`);
  const { environment = null, user } = options;
  const projects = allOrSome(options.project ?? ["*"]);
  for (const text of [name, ...projects, ...(environment === null ? [] : [environment])]) requireName(text);
  const isForSdk = type === "client" || type === "frontend";
  if ((type === "user") !== (user !== undefined)) {
    throw new UsageError(
      type === "user"
        ? "--user: is required for this type; list the users with flagstone user list"
        : `--user: is not for tokens of the type ${type}`,
    );
  }
  if (isForSdk !== (environment !== null)) {
    throw new UsageError(
      `--environment: ${isForSdk ? "is required for this type" : "is only for client and frontend"}`,
    );
  }
  if (!isForSdk && options.project) throw new UsageError("--project: is only for client and frontend");
  if (environment !== null) requireScope(db, projects, environment);
  const userId = user === undefined ? null : requireUser(db, user).id;
  return { type, name, userId, projects, environment, expiresAt: toExpiry(options.expires) };
}

/** `*` means all projects. */
function requireScope(db: Database, projects: readonly string[], environment: string) {
  if (!isKnown(db, "environment", environment))
    throw new UsageError(`--environment: there is no environment ${environment}`);
  const unknown = projects.find((project) => project !== "*" && !isKnown(db, "project", project));
  if (unknown !== undefined) throw new UsageError(`--project: there is no project ${unknown}`);
}

function toExpiry(text: string | undefined) {
  const time = checkedOr(v.optional(Time), text, (message) => `--expires: ${message}`);
  if (time && time <= new Date().toISOString()) throw new UsageError("--expires: is in the past");
  return time ?? null;
}
