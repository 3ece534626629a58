import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../http/error.ts";

/*
 * Reports from applications, kept in memory until they are written. Reports on the same subject are added up, so that
 * memory depends on the number of flags and applications, and not on how often these report.
 */

/** How often a flag was on and off for an application in an environment, within an hour. */
export interface Use {
  kind: "use";
  feature: string;
  environment: string;
  application: string;
  /** The start of the hour, RFC 3339. */
  hour: string;
  yes: number;
  no: number;
  variants: ReadonlyMap<string, number>;
}

/** A running instance of an application. */
export interface Instance {
  kind: "instance";
  application: string;
  environment: string;
  instance: string;
  /** Null if not reported this time. */
  sdkVersion: string | null;
  clientIp: string | null;
  /** RFC 3339. */
  seenAt: string;
}

export interface Application {
  kind: "application";
  application: string;
  environment: string;
  /** The projects of its token, `*` for all. */
  projects: readonly string[];
  strategies: readonly string[];
  seenAt: string;
}

export type Noted = Use | Instance | Application;

/** The most characters to gather: if there are more, the file hasn't been writable for a while. */
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

/** @throws ApiError `ServiceUnavailableError` with `Retry-After` if there is no room for more */
export function gather(db: Database, reported: readonly Noted[]) {
  if (gatheredFor(db).size > MOST)
    throw new ApiError(
      "ServiceUnavailableError",
      "Too many reports are waiting to be written: try again later",
      {
        headers: { "retry-after": "60" },
        isLogged: false, // the log says why it can't be written
      },
    );
  keep(db, reported);
}

/** The same for reports that have already been accepted. */
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

/** Takes everything gathered so far. */
export function take(db: Database): Noted[] {
  const { byKey } = gatheredFor(db);
  known.delete(db);
  return [...byKey.values()];
}

/** No name contains the character NUL. */
const keyOf = (one: Noted) => [one.kind, one.application, one.environment, ...ownKeyOf(one)].join("\0");

function ownKeyOf(one: Noted): readonly string[] {
  if (one.kind === "use") return [one.feature, one.hour];
  return one.kind === "instance" ? [one.instance] : one.projects;
}

/** The size of an entry apart from its names. */
const BASE = 200;

/** Roughly its size in characters. */
function sizeOf(one: Noted) {
  if (one.kind === "use" && one.variants.size > 0)
    return BASE + [...one.variants.keys()].reduce((sum, name) => sum + name.length + 20, 0);
  return one.kind === "application" ? BASE + one.strategies.join().length : BASE;
}

/** Both have the same key, and so the same kind. */
function merged(before: Noted, one: Noted): Noted {
  if (one.kind === "use") return sum(before as Use, one);
  if (one.kind === "instance")
    return { ...one, sdkVersion: one.sdkVersion ?? (before as Instance).sdkVersion };
  return one;
}

function sum(before: Use, one: Use): Use {
  const variants = one.variants.size === 0 ? before.variants : sumOf(before.variants, one.variants);
  return { ...one, yes: plus(before.yes, one.yes), no: plus(before.no, one.no), variants };
}

function sumOf(before: Use["variants"], more: Use["variants"]): Use["variants"] {
  const variants = new Map(before);
  for (const [name, count] of more) variants.set(name, plus(variants.get(name) ?? 0, count));
  return variants;
}

/** Capped at the largest exact integer. */
const plus = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);
