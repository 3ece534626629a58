import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../http/error.ts";

/*
 * What applications tell of themselves, in memory until it is written. What tells of the same thing is added up, so that
 * the room it takes depends on how many flags and applications there are, and not on how often they tell.
 */

/** How often an application found a flag on and off in an environment, within an hour. */
export interface Use {
  kind: "use";
  feature: string;
  environment: string;
  application: string;
  /** When the hour began, RFC 3339. */
  hour: string;
  yes: number;
  no: number;
  variants: ReadonlyMap<string, number>;
}

/** Somebody who asks in an application's name. */
export interface Instance {
  kind: "instance";
  application: string;
  environment: string;
  instance: string;
  /** Null where that was not told this time. */
  sdkVersion: string | null;
  clientIp: string | null;
  /** RFC 3339. */
  seenAt: string;
}

export interface Application {
  kind: "application";
  application: string;
  environment: string;
  /** Those of its token, `*` for all. */
  projects: readonly string[];
  strategies: readonly string[];
  seenAt: string;
}

export type Noted = Use | Instance | Application;

/** Characters of what is gathered at the most: beyond that the file can't have been written to for long. */
const MOST = 16 * 1024 * 1024;

interface Gathered {
  byKey: Map<string, Noted>;
  size: number;
}

const known = new WeakMap<Database, Gathered>();

const gatheredFor = (db: Database): Gathered => {
  const found = known.get(db) ?? { byKey: new Map(), size: 0 };
  known.set(db, found);
  return found;
};

/** @throws ApiError `ServiceUnavailableError` with `Retry-After`, where there is no room for more */
export function gather(db: Database, reported: readonly Noted[]) {
  if (gatheredFor(db).size > MOST)
    throw new ApiError("ServiceUnavailableError", "Too much waits to be written: try again later", {
      headers: { "retry-after": "60" },
      isLogged: false, // the log says why it can't be written
    });
  keep(db, reported);
}

/** The same for what has been accepted already. */
export function keep(db: Database, noted: readonly Noted[]) {
  const gathered = gatheredFor(db);
  for (const one of noted) {
    const key = keyOf(one);
    const before = gathered.byKey.get(key);
    const after = before ? merged(before, one) : one;
    gathered.size += sizeOf(after) - (before ? sizeOf(before) : -key.length);
    gathered.byKey.set(key, after);
  }
}

/** All that was gathered, which nobody gets again. */
export function take(db: Database): Noted[] {
  const { byKey } = gatheredFor(db);
  known.delete(db);
  return [...byKey.values()];
}

const keyOf = (one: Noted) => JSON.stringify([one.kind, one.application, one.environment, ...ownKeyOf(one)]);

function ownKeyOf(one: Noted): readonly string[] {
  if (one.kind === "use") return [one.feature, one.hour];
  return one.kind === "instance" ? [one.instance] : one.projects;
}

/** What anything takes beside its names. */
const BASE = 200;

/** About as many characters as it takes. */
function sizeOf(one: Noted) {
  if (one.kind === "use" && one.variants.size > 0)
    return BASE + [...one.variants.keys()].reduce((sum, name) => sum + name.length + 20, 0);
  return one.kind === "application" ? BASE + one.strategies.join().length : BASE;
}

/** Both are of one key, and so of one kind. */
function merged(before: Noted, one: Noted): Noted {
  if (one.kind === "use") return sum(before as Use, one);
  if (one.kind === "instance")
    return { ...one, sdkVersion: one.sdkVersion ?? (before as Instance).sdkVersion };
  return one;
}

function sum(before: Use, one: Use): Use {
  const variants = new Map(before.variants);
  for (const [name, count] of one.variants) variants.set(name, plus(variants.get(name) ?? 0, count));
  return { ...one, yes: plus(before.yes, one.yes), no: plus(before.no, one.no), variants };
}

/** As far as one can count. */
const plus = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);
