import fs from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { contentOf, dataFile, temporaryFolder } from "../cli/run-cli.ts";
import { importLines } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

/** A restore's timestamp, and a process id. */
export const AT = { now: new Date("2026-01-31T09:00:00Z"), pid: 1 };

/** A file as a crash leaves it: with some rows only in the log. */
export async function crashedFile(t: TestContext) {
  const source = await dataFile(t, createWorld().project("old").lines);
  const db = open(source);
  t.after(() => close(db));
  await importLines(db, [
    { kind: "dataset", version: 1 },
    { kind: "tagType", name: "in the log" },
  ]);
  return copyOf(t, source);
}

export function copyOf(t: TestContext, file: string) {
  const copy = path.join(temporaryFolder(t), "flags.db");
  for (const suffix of ["", "-wal", "-shm"]) {
    if (fs.existsSync(file + suffix)) fs.copyFileSync(file + suffix, copy + suffix);
  }
  return copy;
}

export const backupFile = (t: TestContext) => dataFile(t, createWorld().project("new").lines);

/** The content of a file, read from a copy: reading would checkpoint its log. */
export const contentAside = (t: TestContext, file: string) => contentOf(copyOf(t, file));

export const beside = (data: string) => fs.readdirSync(path.dirname(data)).sort();
