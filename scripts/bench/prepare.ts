import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inChunks } from "../../src/dataset/text.ts";
import { SIDECARS } from "../../src/db/staged-file.ts";
import { startScript } from "./child.ts";
import { datasetLines } from "./dataset.ts";
import type { Imported } from "./import.ts";

/** Writes the dataset, imports it into a new file, and reports the cost. */
export async function prepare(events: number, folder: string, progress: (text: string) => void) {
  const file = path.join(folder, `${events}.db`);
  progress(`writing a dataset of ${events} events`);
  const source = await writeLines(datasetLines(events), path.join(folder, `${events}.jsonl`));
  for (const suffix of ["", ...SIDECARS]) fs.rmSync(file + suffix, { force: true });
  const imported = await importInto(source, file, progress);
  const bytes = { dataset: fs.statSync(source).size, file: fs.statSync(file).size };
  return { file, source, imported, bytes };
}

export async function writeLines(lines: Iterable<string>, file: string): Promise<string> {
  await pipeline(Readable.from(inChunks(lines)), fs.createWriteStream(file));
  return file;
}

/** Imports in a separate process. */
export async function importInto(
  source: string,
  file: string,
  progress: (text: string) => void,
): Promise<Imported> {
  const child = startScript("import.ts", [source, file]);
  let imported: Imported | undefined;
  child.on("message", (message: Imported | { lines: number }) => {
    if ("lines" in message) progress(`importing, line ${message.lines}`);
    else imported = message;
  });
  await once(child, "exit");
  if (!imported) throw new Error("The import failed");
  return imported;
}
