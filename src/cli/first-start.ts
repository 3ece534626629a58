import { CLI } from "../access/actor.ts";
import { hashPassword, PASSWORD_LENGTH } from "../access/password-hash.ts";
import { DEFAULT_PROJECT, ROLES } from "../access/permissions.ts";
import { createSignInLink } from "../access/session-store.ts";
import { SECRET_SHAPE } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { type Tx, write } from "../events/write.ts";
import { UsageError } from "../lib/usage-error.ts";
import { createToken, hasTokens } from "../people/tokens-store.ts";
import { Username } from "../people/users-schema.ts";
import { createUser, hasUsers } from "../people/users-store.ts";
import { addUserRole } from "../projects/access-store.ts";
import { readText } from "./config.ts";
import { checkedOr } from "./name.ts";

/**
 * The hash of the first user's password, which takes a while to compute; null if there is none or no user is needed.
 */
export const firstPasswordHash = async (db: Database, { password }: Given) =>
  password === undefined || isInUse(db) ? null : hashPassword(password);

/** How the first user signs in and calls the API. */
export interface FirstCredentials {
  /** The secret of the personal token. */
  secret: string;
  /** The path of the link for signing in. */
  link: string;
}

/**
 * In a file without users and tokens, creates the first user as the owner of the existing project, with a personal
 * token and a link for signing in, and the API tokens given.
 * @returns undefined for a file in use, which is left alone
 * @throws UsageError if a token names a project or environment that doesn't exist
 */
export function firstStart(
  db: Database,
  { username, personal, tokens }: Given,
  passwordHash: string | null,
): FirstCredentials | undefined {
  if (isInUse(db)) return undefined; // first without waiting for other writers
  return write(db, CLI, (tx) => {
    if (isInUse(db)) return undefined; // another process did it first
    const userId = createUser(tx, { username, name: null, email: null, rootRole: ROLES.admin, passwordHash });
    if (isKnown(db, "project", DEFAULT_PROJECT)) addUserRole(tx, DEFAULT_PROJECT, userId, ROLES.owner);
    for (const token of tokens) createGivenToken(tx, token);
    const first = { ...TOKEN, type: "user", name: "first start", userId, projects: ["*"] } as const;
    const { secret } = createToken(tx, { ...first, secret: personal?.secret });
    return { secret, link: createSignInLink(tx, userId) };
  });
}

const TOKEN = { environment: null, expiresAt: null } as const;

/** All have the same name (original). */
export function createGivenToken(tx: Tx, { variable, type, secret, project, environment }: GivenToken) {
  requireKnown(tx.db, variable, "project", project);
  requireKnown(tx.db, variable, "environment", environment);
  const place = { projects: [project], environment: environment === "*" ? null : environment };
  createToken(tx, { ...TOKEN, ...place, type, name: "admin", userId: null, secret });
}

function requireKnown(db: Database, variable: string, kind: "project" | "environment", name: string) {
  if (name === "*" || isKnown(db, kind, name)) return;
  throw new UsageError(`${variable}: there is no ${kind} ${name}`);
}

const isInUse = (db: Database) => hasUsers(db) || hasTokens(db);

/** What environment variables provide for the first start. */
export interface Given {
  /** The first user's token; generated if missing. */
  personal: GivenSecret | undefined;
  tokens: readonly GivenToken[];
  /** The first user's. */
  username: string;
  /** Undefined if the first user has no password yet. */
  password: string | undefined;
  /** The variables of secrets that were set. */
  variables: readonly string[];
}

const USERNAME = "UNLEASH_DEFAULT_ADMIN_USERNAME";
const PASSWORD = "UNLEASH_DEFAULT_ADMIN_PASSWORD";

/** @throws UsageError for an invalid name, secret or password, without showing it; also for a secret given twice */
export function readGiven(env: NodeJS.ProcessEnv): Given {
  const personal = givenSecret(env);
  const tokens = givenTokens(env);
  const secrets = [...(personal ? [personal] : []), ...tokens];
  for (const { variable, secret } of secrets) {
    const owner = secrets.find((one) => one.secret === secret)!;
    if (owner.variable !== variable)
      throw new UsageError(`${variable}: has the same secret as ${owner.variable}`);
  }
  const username = checkedOr(Username, env[USERNAME]?.trim() || "admin", (wrong) => `${USERNAME}: ${wrong}`);
  const password = env[PASSWORD] || undefined;
  const { min, max } = PASSWORD_LENGTH;
  if (password !== undefined && (password.length < min || password.length > max))
    throw new UsageError(`${PASSWORD}: must be ${min} to ${max} characters`);
  const variables = [
    ...secrets.map(({ variable }) => variable),
    ...(password === undefined ? [] : [PASSWORD]),
  ];
  return { personal, tokens, username, password, variables: [...new Set(variables)] };
}

/** The operator's own secret for the first personal token. */
interface GivenSecret {
  /** The variable that provides it. */
  variable: string;
  secret: string;
  /** Where to find it, since the secret itself is not printed. */
  place: string;
  /** A shell expression for it, for use in examples. */
  shell: string;
}

/**
 * The secret from the variable, or else from the file; undefined if neither is set.
 * @throws UsageError if the variable's value can't be a token or its file can't be read
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
  return requireSafe({
    variable,
    secret: readText(variable, file).trim(),
    place,
    shell: `$(cat "$${variable}")`,
  });
}

/** A shorter secret would be easy to guess. */
const MIN_LENGTH = 16;

function requireSafe(given: GivenSecret): GivenSecret {
  const { variable, secret } = given;
  if (SECRET_SHAPE.test(secret) && secret.length >= MIN_LENGTH) return given;
  throw new UsageError(`${variable}: must be ${MIN_LENGTH} to 500 visible ASCII characters without spaces`);
}

/** An API token, with the variable that provides it. */
export interface GivenToken {
  variable: string;
  type: "admin" | "client" | "frontend";
  secret: string;
  /** `*` for all. */
  project: string;
  /** `*` for all. */
  environment: string;
}

/** The variables used by scripts for the original. */
const TOKEN_VARIABLES = [
  ["INIT_ADMIN_API_TOKENS", "admin"],
  ["INIT_CLIENT_API_TOKENS", "client"],
  ["INIT_BACKEND_API_TOKENS", "client"],
  ["INIT_FRONTEND_API_TOKENS", "frontend"],
] as const;

/** The format of a type of token, and how to describe it. */
const FORMATS = {
  admin: [/^(\*):(\*)\.(.+)$/, "*:*.SECRET"],
  client: [/^([^:[]+):([^.*]+)\.(.+)$/, "PROJECT:ENVIRONMENT.SECRET"],
  frontend: [/^([^:[]+):([^.*]+)\.(.+)$/, "PROJECT:ENVIRONMENT.SECRET"],
} as const;

/** The minimum length after the dot; the original's examples have eleven characters or more. */
const MIN_PART_LENGTH = 10;

const givenTokens = (env: NodeJS.ProcessEnv) =>
  TOKEN_VARIABLES.flatMap(([variable, type]) =>
    secretsIn(env[variable]).map((secret) => toGivenToken(variable, type, secret)),
  );

/** Secrets separated by commas, each once. */
export const secretsIn = (text = "") => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

/** @throws UsageError for a token in a different format, without showing it */
export function toGivenToken(variable: string, type: GivenToken["type"], secret: string): GivenToken {
  const [pattern, format] = FORMATS[type];
  const [, project, environment, part = ""] = pattern.exec(secret) ?? [];
  if (project === undefined || environment === undefined || !SECRET_SHAPE.test(secret))
    throw new UsageError(`${variable}: must be one or more of ${format}, separated by commas`);
  if (part.length < MIN_PART_LENGTH)
    throw new UsageError(
      `${variable}: each needs ${MIN_PART_LENGTH} characters or more after ${format.replace("SECRET", "")}`,
    );
  return { variable, type, secret, project, environment };
}
