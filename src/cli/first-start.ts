import { CLI } from "../access/actor.ts";
import { hashPassword } from "../access/password.ts";
import { DEFAULT_PROJECT, ROLES } from "../access/permissions.ts";
import { createSignInLink } from "../access/sign-in-link.ts";
import { isKnown } from "../db/known.ts";
import type { Database } from "../db/statement.ts";
import { type Tx, write } from "../events/write.ts";
import { UsageError } from "../lib/usage-error.ts";
import { createToken } from "../people/tokens/changes.ts";
import { hasTokens } from "../people/tokens/store.ts";
import { createUser } from "../people/users/changes.ts";
import { hasUsers } from "../people/users/store.ts";
import { addUserRole } from "../projects/access-store.ts";
import type { Given, GivenToken } from "./given.ts";

/**
 * The hash of the first user's password, which takes a while to compute; null if there is none or no user is needed.
 */
export async function firstPasswordHash(db: Database, { admin: { password } }: Given) {
  return password === undefined || isInUse(db) ? null : hashPassword(password);
}

/**
 * In a file without users and tokens, creates the first user as the owner of the existing project, with a personal
 * token and a link for signing in, and the API tokens given.
 * @returns undefined for a file in use, which is left alone
 * @throws UsageError if a token names a project or environment that doesn't exist
 */
export function firstStart(
  db: Database,
  given: Given,
  passwordHash: string | null,
): FirstCredentials | undefined {
  if (isInUse(db)) return undefined; // first without waiting for other writers
  return write(db, CLI, (tx) => {
    if (isInUse(db)) return undefined; // another process did it first
    const { username } = given.admin;
    const userId = createUser(tx, { username, name: null, email: null, rootRole: ROLES.admin, passwordHash });
    if (isKnown(db, "project", DEFAULT_PROJECT)) addUserRole(tx, DEFAULT_PROJECT, userId, ROLES.owner);
    for (const token of given.tokens) createGivenToken(tx, token);
    const first = { ...TOKEN, type: "user", name: "first start", userId, projects: ["*"] } as const;
    const { secret } = createToken(tx, { ...first, secret: given.personal?.secret });
    return { secret, link: createSignInLink(tx, userId) };
  });
}

/** How the first user signs in and calls the API. */
export interface FirstCredentials {
  /** The secret of the personal token. */
  secret: string;
  /** The path of the link for signing in. */
  link: string;
}

const TOKEN = { environment: null, expiresAt: null } as const;

/** All have the same name (original). */
function createGivenToken(tx: Tx, { variable, type, secret, project, environment }: GivenToken) {
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
