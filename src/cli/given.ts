import fs from "node:fs";
import { PASSWORD_LENGTH } from "../access/password.ts";
import { SECRET_SHAPE } from "../access/token.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check } from "../lib/validation.ts";
import { Username } from "../people/users-schema.ts";

/*
 * Environment variables that provide users and tokens for the first start.
 */

/** A shorter secret would be easy to guess. */
const MIN_LENGTH = 16;

/** The operator's own secret for the first personal token. */
export interface GivenSecret {
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
  return requireSafe({ variable, secret: readSecret(file), place, shell: `$(cat "$${variable}")` });
}

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

/** The variables used by scripts for the original; the format of each, and how to describe it. */
const TOKEN_VARIABLES = [
  ["INIT_ADMIN_API_TOKENS", "admin", /^(\*):(\*)\.(.+)$/, "*:*.SECRET"],
  ["INIT_CLIENT_API_TOKENS", "client", /^([^:[]+):([^.*]+)\.(.+)$/, "PROJECT:ENVIRONMENT.SECRET"],
  ["INIT_FRONTEND_API_TOKENS", "frontend", /^([^:[]+):([^.*]+)\.(.+)$/, "PROJECT:ENVIRONMENT.SECRET"],
] as const;

/** The minimum length after the dot; the original's examples have eleven characters or more. */
const MIN_PART_LENGTH = 10;

/** @throws UsageError for a token in a different format, without showing it */
function givenTokens(env: NodeJS.ProcessEnv): GivenToken[] {
  return TOKEN_VARIABLES.flatMap(([variable, type, pattern, format]) => {
    const secrets = (env[variable] ?? "").split(",").map((secret) => secret.trim());
    return [...new Set(secrets.filter((secret) => secret !== ""))].map((secret) => {
      const [, project, environment, part = ""] = pattern.exec(secret) ?? [];
      if (project === undefined || environment === undefined || !SECRET_SHAPE.test(secret))
        throw new UsageError(`${variable}: must be one or more of ${format}, separated by commas`);
      if (part.length < MIN_PART_LENGTH)
        throw new UsageError(
          `${variable}: each needs ${MIN_PART_LENGTH} characters or more after ${format.replace("SECRET", "")}`,
        );
      return { variable, type, secret, project, environment };
    });
  });
}

/** The first user. */
export interface GivenAdmin {
  username: string;
  /** Undefined if the user has no password yet. */
  password: string | undefined;
}

const USERNAME = "UNLEASH_DEFAULT_ADMIN_USERNAME";
const PASSWORD = "UNLEASH_DEFAULT_ADMIN_PASSWORD";

/** @throws UsageError for an invalid username, and for a password that is easy to guess, without showing it */
function givenAdmin(env: NodeJS.ProcessEnv): GivenAdmin {
  const username = check(Username, env[USERNAME]?.trim() || "admin");
  if (username.violations) throw new UsageError(`${USERNAME}: ${username.violations[0].message}`);
  const password = env[PASSWORD] || undefined;
  const { min, max } = PASSWORD_LENGTH;
  if (password === undefined || (password.length >= min && password.length <= max))
    return { username: username.value, password };
  throw new UsageError(`${PASSWORD}: must be ${min} to ${max} characters`);
}

/** Everything that environment variables provide for the first start. */
export interface Given {
  /** The first user's token; generated if missing. */
  personal: GivenSecret | undefined;
  tokens: readonly GivenToken[];
  admin: GivenAdmin;
}

/** @throws UsageError for an invalid secret or password, and for a secret that is given twice */
export function givenSecrets(env: NodeJS.ProcessEnv): Given {
  const given = { personal: givenSecret(env), tokens: givenTokens(env), admin: givenAdmin(env) };
  const owners = new Map<string, string>();
  for (const { variable, secret } of [...(given.personal ? [given.personal] : []), ...given.tokens]) {
    const owner = owners.get(secret);
    if (owner !== undefined) throw new UsageError(`${variable}: has the same secret as ${owner}`);
    owners.set(secret, variable);
  }
  return given;
}

/** The variables that were set. */
export const variablesOf = ({ personal, tokens, admin }: Given) => [
  ...new Set([
    ...(personal ? [personal.variable] : []),
    ...tokens.map(({ variable }) => variable),
    ...(admin.password === undefined ? [] : [PASSWORD]),
  ]),
];

function readSecret(file: string) {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`FLAGSTONE_ADMIN_TOKEN_FILE: the file ${file} can't be read`);
  }
}
