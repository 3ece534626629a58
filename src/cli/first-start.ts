import { CLI } from "../auth/actor.ts";
import { hashPassword } from "../auth/password.ts";
import { DEFAULT_PROJECT, ROLES } from "../auth/permissions.ts";
import { createSignInLink } from "../auth/sign-in-link.ts";
import { UsageError } from "../config.ts";
import { isKnown } from "../db/known.ts";
import type { Database } from "../db/statement.ts";
import { type Tx, write } from "../events/write.ts";
import { addUserRole } from "../resources/projects/changes.ts";
import { createToken } from "../resources/tokens/changes.ts";
import { hasTokens } from "../resources/tokens/store.ts";
import { createUser } from "../resources/users/changes.ts";
import { hasUsers } from "../resources/users/store.ts";
import type { Given, GivenToken } from "./given.ts";

/** The hash of the first user's password, which takes a while; null where there is none, or nobody is to be made. */
export async function firstPasswordHash(db: Database, { admin: { password } }: Given) {
  return password === undefined || isInUse(db) ? null : hashPassword(password);
}

/**
 * In a file without users and tokens, makes the first user, the owner of the project that is there, a personal token and
 * a link to sign in for it, and the tokens given that are nobody's.
 * @returns undefined for a file that is in use already: it is not touched.
 * @throws UsageError where a token names a project or an environment that is not there
 */
export function firstStart(db: Database, given: Given, passwordHash: string | null): Made | undefined {
  if (isInUse(db)) return undefined; // without waiting for whoever writes to it
  return write(db, CLI, (tx) => {
    if (isInUse(db)) return undefined; // another process was first
    const { username } = given.admin;
    const userId = createUser(tx, { username, name: null, email: null, rootRole: ROLES.admin, passwordHash });
    if (isKnown(db, "project", DEFAULT_PROJECT)) addUserRole(tx, DEFAULT_PROJECT, userId, ROLES.owner);
    for (const token of given.tokens) createGiven(tx, token);
    const first = { ...TOKEN, type: "user", name: "first start", userId, projects: ["*"] } as const;
    const { secret } = createToken(tx, { ...first, secret: given.personal?.secret });
    return { secret, link: createSignInLink(tx, userId) };
  });
}

/** How the first user comes in. */
export interface Made {
  /** Of the personal token. */
  secret: string;
  /** The path of the link to sign in. */
  link: string;
}

const TOKEN = { environment: null, expiresAt: null } as const;

/** The original names all of them so. */
function createGiven(tx: Tx, { variable, type, secret, project, environment }: GivenToken) {
  requireThere(tx.db, variable, "project", project);
  requireThere(tx.db, variable, "environment", environment);
  const place = { projects: [project], environment: environment === "*" ? null : environment };
  createToken(tx, { ...TOKEN, ...place, type, name: "admin", userId: null, secret });
}

function requireThere(db: Database, variable: string, kind: "project" | "environment", name: string) {
  if (name === "*" || isKnown(db, kind, name)) return;
  throw new UsageError(`${variable}: there is no ${kind} ${name}`);
}

const isInUse = (db: Database) => hasUsers(db) || hasTokens(db);
