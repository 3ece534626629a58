import fs from "node:fs";
import { CLI } from "../auth/actor.ts";
import { SECRET_SHAPE } from "../auth/token.ts";
import { UsageError } from "../config.ts";
import type { Database } from "../db/statement.ts";
import { write } from "../resources/events/write.ts";
import { createToken, hasTokens } from "../resources/tokens/store.ts";
import { createUser, hasUsers } from "../resources/users/store.ts";

const ADMIN_ROLE = 1;

/** The operator's own secret for the first personal token. */
export interface GivenSecret {
  secret: string;
  /** How a shell that has it writes it, for lines to copy: the secret itself is not printed. */
  shown: string;
}

/**
 * What the environment gives, the variable before the file; undefined for nothing.
 * @throws UsageError if the variable's value can't be a token or its file can't be read.
 */
export function givenSecret(env: NodeJS.ProcessEnv): GivenSecret | undefined {
  const { FLAGSTONE_ADMIN_TOKEN: secret, FLAGSTONE_ADMIN_TOKEN_FILE: file } = env;
  if (secret) {
    return { secret: requireShape("FLAGSTONE_ADMIN_TOKEN", secret), shown: "$FLAGSTONE_ADMIN_TOKEN" };
  }
  if (!file) return undefined;
  return {
    secret: requireShape("FLAGSTONE_ADMIN_TOKEN_FILE", readSecret(file)),
    shown: '$(cat "$FLAGSTONE_ADMIN_TOKEN_FILE")',
  };
}

function requireShape(variable: string, secret: string) {
  if (SECRET_SHAPE.test(secret)) return secret;
  throw new UsageError(`${variable}: must be 1 to 500 visible ASCII characters without a space`);
}

/**
 * In a file without users and tokens, makes the user `admin` and a personal token for it.
 * @returns the token's secret, or undefined for a file that is in use already: it is not touched.
 */
export function firstStart(db: Database, secret: string | undefined): string | undefined {
  if (isInUse(db)) return undefined; // without waiting for whoever writes to it
  return write(db, CLI, (tx) => {
    if (isInUse(db)) return undefined; // another process was first
    const admin = { username: "admin", name: null, email: null, rootRole: ADMIN_ROLE };
    const userId = createUser(tx, admin);
    const token = {
      type: "user",
      name: "first start",
      projects: ["*"],
      environment: null,
      expiresAt: null,
    } as const;
    return createToken(tx, { ...token, userId, secret }).secret;
  });
}

const isInUse = (db: Database) => hasUsers(db) || hasTokens(db);

function readSecret(file: string) {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`FLAGSTONE_ADMIN_TOKEN_FILE: the file ${file} can't be read`);
  }
}
