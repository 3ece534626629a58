import fs from "node:fs";
import * as v from "valibot";
import { stagedFile } from "../db/staged-file.ts";
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
  version: v.literal(VERSION, "is of another version of Flagstone"),
  tokens: v.array(v.object({ hash: v.string(), scope: Scope })),
  kept: v.array(
    v.object({ hash: v.string(), scope: Scope, copy: Copy, etag: v.optional(v.string()), at: v.number() }),
  ),
});

/** Writes what is known, whole or not at all. */
export function writeSnapshot(file: string, { kept, scopes }: Mirror) {
  using staged = stagedFile(file);
  const tokens = [...scopes].map(([hash, scope]) => ({ hash, scope }));
  const copies = [...kept].map(([hash, one]) => ({ hash, ...one }));
  fs.writeFileSync(staged.path, JSON.stringify({ version: VERSION, tokens, kept: copies }));
  staged.commit({ mayReplace: true });
}

/** Takes up what was known before; nothing if there is no file yet. @throws UsageError for a file that is something else */
export function readSnapshot(file: string, mirror: Mirror) {
  if (!fs.existsSync(file)) return;
  const snapshot = parse(file);
  for (const { hash, scope } of snapshot.tokens) mirror.admit(hash, scope);
  for (const { hash, ...one } of snapshot.kept) mirror.keep(hash, { ...one, etag: one.etag });
}

function parse(file: string) {
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    throw new UsageError(
      `${file} is not a snapshot of an edge, or was cut: remove it, and start while upstream answers`,
    );
  }
  const result = v.safeParse(Snapshot, value);
  if (result.success) return value as v.InferOutput<typeof Snapshot>;
  const [issue] = result.issues;
  throw new UsageError(
    `${file} is no snapshot that this version reads: ${v.getDotPath(issue)} ${issue.message}`,
  );
}
