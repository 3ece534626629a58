import { perDatabase } from "../../db/per-database.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";

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
  /** Undefined if it reported usage instead of registering. */
  strategies?: readonly string[];
  seenAt: string;
}

export type Report = Use | Instance | Application;

/** If there are more characters than this, the file hasn't been writable for a while. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

const gatheredFor = perDatabase(() => ({ byKey: new Map<string, Report>(), size: 0 }));

/** @throws ApiError `ServiceUnavailableError` with `Retry-After` if there is no room for more */
export function gather(db: Database, reports: readonly Report[]) {
  if (gatheredFor(db).size > MAX_CHARACTERS)
    throw new ApiError(
      "ServiceUnavailableError",
      "Too many reports are waiting to be written: try again later",
      {
        headers: { "retry-after": "60" },
        isLogged: false, // the log says why it can't be written
      },
    );
  keep(db, reports);
}

/** The same for reports that have already been accepted. */
export function keep(db: Database, reports: readonly Report[]) {
  const gathered = gatheredFor(db);
  for (const report of reports) {
    const key = keyOf(report);
    const before = gathered.byKey.get(key);
    const after = before ? merged(before, report) : report;
    gathered.size += sizeOf(after) - (before ? sizeOf(before) : -key.length);
    gathered.byKey.set(key, after);
  }
}

/** Takes everything gathered so far. */
export function take(db: Database): Report[] {
  const gathered = gatheredFor(db);
  const reports = [...gathered.byKey.values()];
  gathered.byKey.clear();
  gathered.size = 0;
  return reports;
}

/** No name contains the character NUL. */
const keyOf = (report: Report) =>
  [report.kind, report.application, report.environment, ...ownKeyOf(report)].join("\0");

function ownKeyOf(report: Report): readonly string[] {
  if (report.kind === "use") return [report.feature, report.hour];
  return report.kind === "instance" ? [report.instance] : report.projects;
}

/** The size of an entry apart from its names. */
const BASE = 200;

/** Roughly its size in characters. */
function sizeOf(report: Report) {
  if (report.kind === "use" && report.variants.size > 0)
    return BASE + [...report.variants.keys()].reduce((sum, name) => sum + name.length + 20, 0);
  return report.kind === "application" ? BASE + (report.strategies ?? []).join().length : BASE;
}

/** Both have the same key, and so the same kind. */
function merged(before: Report, report: Report): Report {
  if (report.kind === "use") return sum(before as Use, report);
  if (report.kind === "instance")
    return { ...report, sdkVersion: report.sdkVersion ?? (before as Instance).sdkVersion };
  return report.strategies ? report : before;
}

function sum(before: Use, report: Use): Use {
  const variants = report.variants.size === 0 ? before.variants : sumOf(before.variants, report.variants);
  return { ...report, yes: plus(before.yes, report.yes), no: plus(before.no, report.no), variants };
}

function sumOf(before: Use["variants"], more: Use["variants"]): Use["variants"] {
  const variants = new Map(before);
  for (const [name, count] of more) variants.set(name, plus(variants.get(name) ?? 0, count));
  return variants;
}

/** Capped at the largest exact integer. */
const plus = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);
