import fs from "node:fs";
import * as v from "valibot";
import { stagedFile } from "../db/staged-file.ts";
import type { Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Mirror } from "./mirror.ts";
import { Copy } from "./upstream.ts";

const VERSION = 1;

const Scope = v.object({
  type: v.picklist(["client", "frontend", "admin", "backend"]),
  environment: v.string(),
  projects: v.array(v.string()),
});

/** What an edge knows, on disk: of tokens only their hashes. */
const Snapshot = v.object({
  version: v.literal(VERSION),
  tokens: v.array(v.object({ hash: v.string(), scope: Scope })),
  kept: v.array(
    v.object({ hash: v.string(), scope: Scope, copy: Copy, etag: v.optional(v.string()), at: v.number() }),
  ),
});

/** Takes up what a file says that was known before, and keeps it there. @throws UsageError for a file of something else */
export function snapshotIn(file: string | undefined, mirror: Mirror, log: Log) {
  if (file === undefined) return { write() {} };
  read(file, mirror, log);
  let written = mirror.version;
  return {
    /** Whole or not at all, if something has changed. */
    write() {
      if (written === mirror.version) return;
      writeSnapshot(file, mirror);
      written = mirror.version;
    },
  };
}

function writeSnapshot(file: string, { kept, scopes }: Mirror) {
  using staged = stagedFile(file);
  const tokens = [...scopes].map(([hash, scope]) => ({ hash, scope }));
  const copies = [...kept].map(([hash, one]) => ({ hash, ...one }));
  fs.writeFileSync(staged.path, JSON.stringify({ version: VERSION, tokens, kept: copies }));
  staged.commit({ mayReplace: true });
}

function read(file: string, mirror: Mirror, log: Log) {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  if (text === "") return;
  if (!text.startsWith(`{"version":`)) throw new UsageError(`${file} is not a snapshot of an edge`);
  const snapshot = parse(text);
  if (!snapshot)
    return log({ level: "warn", message: `${file} was cut, or is of another version: it is not used` });
  for (const { hash, scope } of snapshot.tokens) mirror.admit(hash, scope);
  for (const { hash, ...one } of snapshot.kept) mirror.keep(hash, { ...one, etag: one.etag });
}

/** Undefined for what this version can't read: a copy is no reason not to start. */
function parse(text: string): v.InferOutput<typeof Snapshot> | undefined {
  try {
    const value = JSON.parse(text);
    return v.is(Snapshot, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
