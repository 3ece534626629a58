import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inChunks } from "../../src/dataset/text.ts";
import type { Context, Imported, Version } from "./context.ts";
import { companyLines } from "./dataset.ts";
import { runProbed, type Server, startServer } from "./process.ts";

/** Builds a checkout. @param name shown in tables */
export function versionIn(checkout: string, name: string): Version {
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { name, script: path.resolve(checkout, "dist/flagstone.cjs") };
}

/** Serves a data file on a free port. */
export const serve = ({ script }: Version, file: string, ...options: string[]): Promise<Server> =>
  startServer([script, "--data", file, "--port", "0", "--quiet", ...options]);

/**
 * Imports lines of a dataset into a new or existing file.
 * @param older the lines to use if the version does not know all of these
 */
export async function importInto(
  file: string,
  version: Version,
  lines: Iterable<object>,
  older?: Iterable<object>,
): Promise<Imported> {
  const source = `${file}.jsonl`;
  const texts = Iterator.from(lines).map((line) => `${JSON.stringify(line)}\n`);
  await pipeline(Readable.from(inChunks(texts)), fs.createWriteStream(source));
  const begin = performance.now();
  try {
    const used = await runProbed([version.script, "import", source, "--data", file, "--quiet"]);
    const sizes = { dataset: fs.statSync(source).size, file: fs.statSync(file).size };
    return { file, seconds: (performance.now() - begin) / 1000, used, sizes };
  } catch (error) {
    if (older === undefined) throw error;
    return importInto(file, version, older);
  } finally {
    fs.rmSync(source);
  }
}

/** A file with the company of dataset.ts, imported once for all cases. */
export async function companyOf({ imported, folder, options, progress }: Context, version: Version) {
  const known = imported.get(version);
  if (known) return known;
  progress(`importing ${options.events} events, ${version.name}`);
  const events = Number(options.events);
  const file = path.join(folder, `${version.name}.db`);
  const made = await importInto(file, version, companyLines(events), companyLines(events, true));
  imported.set(version, made);
  return made;
}
