import fs from "node:fs";
import { CLI } from "../auth/actor.ts";
import { DEFAULT_PROJECT, ROLES } from "../auth/permissions.ts";
import { SECRET_SHAPE } from "../auth/token.ts";
import { UsageError } from "../config.ts";
import { isKnown } from "../db/known.ts";
import type { Database } from "../db/statement.ts";
import { write } from "../events/write.ts";
import { addUserRole } from "../resources/projects/changes.ts";
import { createToken } from "../resources/tokens/changes.ts";
import { hasTokens } from "../resources/tokens/store.ts";
import { createUser } from "../resources/users/changes.ts";
import { hasUsers } from "../resources/users/store.ts";

/** Guessing a shorter one would take no time. */
const SHORTEST = 16;

/** The operator's own secret for the first personal token. */
export interface GivenSecret {
  /** The variable that gives it. */
  variable: string;
  secret: string;
  /** Where to find it: the secret itself is not printed. */
  place: string;
  /** How a shell that has the variable writes it, for lines to copy. */
  shell: string;
}

/**
 * What the environment gives, the variable before the file; undefined for nothing.
 * @throws UsageError if the variable's value can't be a token or its file can't be read.
 */
export function givenSecret(env: NodeJS.ProcessEnv): GivenSecret | undefined {
  const { FLAGSTONE_ADMIN_TOKEN: secret, FLAGSTONE_ADMIN_TOKEN_FILE: file } = env;
  if (secret) {
    const variable = "FLAGSTONE_ADMIN_TOKEN";
    return requireSafe({ variable, secret, place: `the one in ${variable}`, shell: `$${variable}` });
  }
  if (!file) return undefined;
  const variable = "FLAGSTONE_ADMIN_TOKEN_FILE";
  const place = `the one in the file that ${variable} names`;
  return requireSafe({ variable, secret: readSecret(file), place, shell: `$(cat "$${variable}")` });
}

function requireSafe(given: GivenSecret): GivenSecret {
  const { variable, secret } = given;
  if (SECRET_SHAPE.test(secret) && secret.length >= SHORTEST) return given;
  throw new UsageError(`${variable}: must be ${SHORTEST} to 500 visible ASCII characters without a space`);
}

/** The variable by which scripts for the original give service tokens. */
const SERVICE_VARIABLE = "INIT_ADMIN_API_TOKENS";

/** Of a service token after the dot; the original's examples have eleven characters and more. */
const SHORTEST_SERVICE = 10;

/**
 * The secrets of service tokens that the environment gives; none for none.
 * @throws UsageError if one is not of the original's form; it is not shown.
 */
export function givenServiceSecrets(env: NodeJS.ProcessEnv): string[] {
  const secrets = (env[SERVICE_VARIABLE] ?? "").split(",").map((secret) => secret.trim());
  const given = [...new Set(secrets.filter((secret) => secret !== ""))];
  if (!given.every((secret) => /^\*:\*\../.test(secret) && SECRET_SHAPE.test(secret)))
    throw new UsageError(`${SERVICE_VARIABLE}: each must have the form *:*.SECRET, with commas between them`);
  if (given.some((secret) => secret.length < "*:*.".length + SHORTEST_SERVICE))
    throw new UsageError(`${SERVICE_VARIABLE}: each needs ${SHORTEST_SERVICE} characters or more after *:*.`);
  return given;
}

/** What the environment gives for a first start. */
export interface Given {
  /** For the token of the first user; one is made without it. */
  personal: GivenSecret | undefined;
  /** For service tokens. */
  service: readonly string[];
}

/** @throws UsageError for what can't be a secret, and for one that is given twice. */
export function givenSecrets(env: NodeJS.ProcessEnv): Given {
  const given = { personal: givenSecret(env), service: givenServiceSecrets(env) };
  if (given.personal === undefined || !given.service.includes(given.personal.secret)) return given;
  throw new UsageError(`${SERVICE_VARIABLE}: names the secret of ${given.personal.variable} too`);
}

/** The variables that gave something. */
export const variablesOf = ({ personal, service }: Given) => [
  ...(personal ? [personal.variable] : []),
  ...(service.length > 0 ? [SERVICE_VARIABLE] : []),
];

/**
 * In a file without users and tokens, makes the user `admin`, the owner of the project that is there, a personal token for
 * it, and the service tokens given.
 * @returns the personal token's secret, or undefined for a file that is in use already: it is not touched.
 */
export function firstStart(db: Database, { personal, service }: Given): string | undefined {
  if (isInUse(db)) return undefined; // without waiting for whoever writes to it
  return write(db, CLI, (tx) => {
    if (isInUse(db)) return undefined; // another process was first
    const admin = { username: "admin", name: null, email: null, rootRole: ROLES.admin };
    const userId = createUser(tx, admin);
    if (isKnown(db, "project", DEFAULT_PROJECT)) addUserRole(tx, DEFAULT_PROJECT, userId, ROLES.owner);
    // The original names them so.
    for (const secret of service)
      createToken(tx, { ...TOKEN, type: "admin", name: "admin", userId: null, secret });
    const first = { ...TOKEN, type: "user", name: "first start", userId } as const;
    return createToken(tx, { ...first, secret: personal?.secret }).secret;
  });
}

const TOKEN = { projects: ["*"], environment: null, expiresAt: null } as const;

const isInUse = (db: Database) => hasUsers(db) || hasTokens(db);

function readSecret(file: string) {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`FLAGSTONE_ADMIN_TOKEN_FILE: the file ${file} can't be read`);
  }
}
