import fs from "node:fs";
import { CLI } from "../auth/actor.ts";
import { SECRET_SHAPE } from "../auth/token.ts";
import { UsageError } from "../config.ts";
import type { Database } from "../db/statement.ts";
import { write } from "../resources/events/write.ts";
import { createToken, hasTokens } from "../resources/tokens/store.ts";
import { createUser, hasUsers } from "../resources/users/store.ts";

const ADMIN_ROLE = 1;

/**
 * The operator's own secret for the first personal token, or undefined.
 * @throws UsageError if the variable's value can't be a token or its file can't be read.
 */
export function givenSecret(env: NodeJS.ProcessEnv): string | undefined {
  const { FLAGSTONE_ADMIN_TOKEN: secret, FLAGSTONE_ADMIN_TOKEN_FILE: file } = env;
  if (secret) return requireShape("FLAGSTONE_ADMIN_TOKEN", secret);
  return file ? requireShape("FLAGSTONE_ADMIN_TOKEN_FILE", readSecret(file)) : undefined;
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
