import fs from "node:fs";
import path from "node:path";
import { SYSTEM } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/sign-in-link.ts";
import { close, open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";
import { importInto, prepare, writeLines } from "../bench/prepare.ts";
import { LARGE } from "./long-lists.ts";

const FLAGS = 5000;

/** Creates a data file with a long log and a large project. @returns the file, and a sign-in link for its administrator */
export async function prepareLarge(events: number, folder: string) {
  const progress = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${text}`);
  const { file, source } = await prepare(events, folder, progress);
  fs.rmSync(source);
  await importInto(await writeLines(largeProject(), path.join(folder, "large.jsonl")), file, progress);
  const db = open(file);
  const link = write(db, SYSTEM, (tx) => createSignInLink(tx, 1));
  close(db);
  return { file, link };
}

function* largeProject(): Generator<string> {
  const environments = ["development", "staging", "production"];
  yield `${JSON.stringify({ kind: "dataset", version: 1 })}\n`;
  yield `${JSON.stringify({ kind: "project", id: LARGE, name: "Large", environments })}\n`;
  for (let index = 0; index < FLAGS; index++) {
    const states = environments.map((name) => ({ name, strategies: [{ name: "default" }] }));
    yield `${JSON.stringify({ kind: "feature", name: `flag-${index}`, project: LARGE, environments: states })}\n`;
  }
}
