import fs from "node:fs";
import { CLI } from "../access/actor.ts";
import { hashPassword } from "../access/password.ts";
import { DEFAULT_PROJECT, ROLES } from "../access/permissions.ts";
import { createSignInLink } from "../access/session.ts";
import { DatasetError } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { DataError, reasonOf } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import { type Tx, write } from "../events/write.ts";
import { UsageError } from "../lib/usage-error.ts";
import { createToken, hasTokens } from "../people/tokens.ts";
import { createUser, hasUsers } from "../people/users-store.ts";
import { addUserRole } from "../projects/access-store.ts";
import { countedEnvironments } from "../projects/environments-store.ts";
import { isUntouched } from "../transfer/import.ts";
import { loadSeed } from "../transfer/seed.ts";
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

export const SEED_OPTION = {
  seed: {
    type: "string",
    hint: "FILE",
    help: "the initial flags: a dataset, flags as SDKs read them, a map of names to true or false, or a project as for apply",
  },
} as const;

export const ENVIRONMENT_OPTION = {
  environment: { type: "string", hint: "NAME", help: "the flags' environment (development)" },
} as const;

/**
 * Opens a database filled from a seed, in memory or in a file. A file that already has content is left alone.
 * @throws DataError naming the seed
 */
export async function openSeeded(seed: string | undefined, file = IN_MEMORY): Promise<Database> {
  const bytes = seed === undefined ? undefined : readSeed(seed);
  const db = open(file);
  try {
    if (bytes && isUntouched(db)) await loadSeed(db, bytes);
    return db;
  } catch (error) {
    close(db);
    if (!(error instanceof DatasetError || error instanceof DataError)) throw error;
    throw new DataError(`${seed}: ${error.message}`, { cause: error });
  }
}

function readSeed(seed: string): Buffer {
  try {
    return fs.readFileSync(seed);
  } catch (error) {
    throw new DataError(`${seed} can't be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** How often to check the seed, in milliseconds: editors replace files, which not every system reports. */
const INTERVAL_MS = 200;

/** Calls back whenever the seed differs from what it was at this call. @returns a function that stops it */
export function watchSeed(seed: string, onChange: () => void): () => void {
  let seen = versionOf(seed);
  const timer = setInterval(() => {
    const version = versionOf(seed);
    if (version !== seen) onChange();
    seen = version;
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Different once a file was written or replaced; undefined while there is none. */
function versionOf(file: string) {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

export const DEFAULT_ENVIRONMENT = "development";

/** The given environment, or else `development`, or else the first. @throws UsageError if it doesn't exist */
export function requireEnvironment(db: Database, requested: string | undefined): string {
  const names = countedEnvironments(db, []).map(({ name }) => name);
  if (requested === undefined)
    return names.includes(DEFAULT_ENVIRONMENT) ? DEFAULT_ENVIRONMENT : (names[0] ?? "");
  if (isKnown(db, "environment", requested)) return requested;
  throw new UsageError(`--environment: ${requested} must be one of ${names.join(", ")}`);
}
