import fs from "node:fs";
import path from "node:path";
import * as v from "valibot";
import { keep, type Report } from "../applications/reports.ts";
import { stagedFile } from "../db/staged-file.ts";
import type { Log } from "../lib/logger.ts";
import { parsedJson } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Mirror } from "./mirror.ts";
import { Copy } from "./upstream.ts";

const VERSION = 1;

const Scope = v.object({
  type: v.picklist(["client", "frontend", "admin", "backend"]),
  environment: v.string(),
  projects: v.array(v.string()),
});

/** What applications have reported, and upstream has not been told; only we have written it. */
const Reports = v.array(v.custom<Report>((value) => v.is(v.looseObject({ kind: v.string() }), value)));

/** What an edge knows, on disk: of tokens only their hashes. */
const Snapshot = v.object({
  version: v.literal(VERSION),
  tokens: v.array(v.object({ hash: v.string(), scope: Scope })),
  kept: v.array(
    v.object({ hash: v.string(), scope: Scope, copy: Copy, etag: v.optional(v.string()), at: v.number() }),
  ),
  reports: v.optional(Reports),
});

/** Takes up what a file says that was known before, and keeps it there. @throws UsageError for a file of something else */
export function snapshotIn(file: string | undefined, mirror: Mirror, log: Log) {
  if (file === undefined) return { write() {} };
  requireFolder(file);
  read(file, mirror, log);
  let written = mirror.version;
  return {
    /** Whole or not at all, if something has changed. @param reports that are still to be sent */
    write(reports: readonly Report[] = []) {
      if (written === mirror.version && reports.length === 0) return;
      writeSnapshot(file, mirror, reports);
      written = mirror.version;
    },
  };
}

/** @throws UsageError now, rather than each time that something is to be written */
function requireFolder(file: string) {
  try {
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK);
  } catch {
    throw new UsageError(`--snapshot: nothing can be written to the folder of ${file}`);
  }
}

function writeSnapshot(file: string, { kept, scopes }: Mirror, reports: readonly Report[]) {
  using staged = stagedFile(file);
  const tokens = [...scopes].map(([hash, scope]) => ({ hash, scope }));
  const copies = [...kept].map(([hash, one]) => ({ hash, ...one }));
  const listed = (_: string, value: unknown) => (value instanceof Map ? [...value] : value);
  fs.writeFileSync(staged.path, JSON.stringify({ version: VERSION, tokens, kept: copies, reports }, listed));
  staged.commit({ mayReplace: true });
}

function read(file: string, mirror: Mirror, log: Log) {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  if (text === "") return;
  if (!text.startsWith(`{"version":`)) throw new UsageError(`${file} is not a snapshot of an edge`);
  const snapshot = parsedJson(text);
  // With its keys in order. What this version can't read is no reason not to start.
  if (!v.is(Snapshot, snapshot))
    return log({ level: "warn", message: `${file} was cut, or is of another version: it is not used` });
  for (const { hash, scope } of snapshot.tokens) mirror.admit(hash, scope);
  for (const { hash, ...one } of snapshot.kept) mirror.keep(hash, { ...one, etag: one.etag });
  const reports = snapshot.reports?.map((one) =>
    one.kind === "use" ? { ...one, variants: new Map(one.variants) } : one,
  );
  keep(mirror.db, reports ?? []);
}
