import * as v from "valibot";
import { CLI } from "../access/actor.ts";
import { TOKEN_TYPES } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { write } from "../events/write.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check, Time } from "../lib/validation.ts";
import { createToken, type NewToken, revokeToken, tokens } from "../people/tokens.ts";
import { type Command, type Context, JSON_OPTION } from "./command.ts";
import { requireName, requireUser } from "./name.ts";
import { table } from "./output.ts";
import { useConfiguredKey } from "./secrets.ts";
import { withFile, withFileToRead } from "./with-file.ts";

const settings = ["data"] as const;

export const tokenCreate: Command = {
  name: "token create",
  summary: "Create a token and print its secret, which can't be shown again",
  usage: "NAME",
  arity: [1, 1],
  example: "token create ci --user admin --expires 2027-01-01T00:00:00Z",
  settings: [...settings, "secret-key-file"],
  options: {
    user: {
      type: "string",
      hint: "USER",
      help: "the user to act as (id, username or e-mail); for the type user",
    },
    type: { type: "string", hint: TOKEN_TYPES.join("|"), help: "the type of token (user)" },
    project: {
      type: "string",
      multiple: true,
      hint: "ID",
      help: "for client and frontend; may be repeated (all)",
    },
    environment: { type: "string", hint: "NAME", help: "for client and frontend" },
    expires: { type: "string", hint: "TIME", help: "expire at this RFC 3339 time (never)" },
    ...JSON_OPTION,
  },
  run: (context) =>
    withFile(context.config, (db) => {
      useConfiguredKey(context.config, db);
      const token = toNewToken(db, context);
      const { id, secret } = write(db, CLI, (tx) => createToken(tx, token));
      context.print(
        context.options.json ? JSON.stringify({ id, name: token.name, type: token.type, secret }) : secret,
      );
    }),
};

export const tokenList: Command = {
  name: "token list",
  summary: "List the tokens, without their secrets",
  example: "token list",
  settings,
  options: JSON_OPTION,
  run: (context) =>
    withFileToRead(context.config, (db) => {
      const all = tokens(db);
      if (context.options.json) return context.print(JSON.stringify(all));
      const rows = all.map((token) => ({ ...token, projects: token.projects.join(",") }));
      const names = ["id", "type", "name", "user", "projects", "environment", "createdAt", "expiresAt"];
      for (const line of table(rows, names)) context.print(line);
    }),
};

export const tokenRevoke: Command = {
  name: "token revoke",
  summary: "Revoke a token, even while a server is using the file",
  usage: "ID",
  arity: [1, 1],
  example: "token revoke 3",
  settings,
  run: (context) =>
    withFile(context.config, (db) => {
      const [id = ""] = context.args;
      const isRevoked = /^\d+$/.test(id) && write(db, CLI, (tx) => revokeToken(tx, Number(id)));
      if (!isRevoked)
        throw new Error(`There is no token with the id ${id}: list the tokens with flagstone token list`);
      context.print(`Revoked token ${id}`);
    }),
};

function toNewToken(db: Database, { args: [name = ""], options }: Context): NewToken {
  const type = TOKEN_TYPES.find((candidate) => candidate === (options.type ?? "user"));
  if (!type) throw new UsageError(`--type: must be one of ${TOKEN_TYPES.join(", ")}`);
  const { project: projects = ["*"], environment = null, user } = options as CreateOptions;
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

interface CreateOptions {
  project?: string[];
  environment?: string;
  user?: string;
}

/** `*` means all projects. */
function requireScope(db: Database, projects: readonly string[], environment: string) {
  if (!isKnown(db, "environment", environment))
    throw new UsageError(`--environment: there is no environment ${environment}`);
  const unknown = projects.find((project) => project !== "*" && !isKnown(db, "project", project));
  if (unknown !== undefined) throw new UsageError(`--project: there is no project ${unknown}`);
}

function toExpiry(text: unknown) {
  const result = check(v.optional(Time), text);
  if (result.violations) throw new UsageError(`--expires: ${result.violations[0].message}`);
  if (result.value && result.value <= new Date().toISOString())
    throw new UsageError("--expires: is in the past");
  return result.value ?? null;
}
