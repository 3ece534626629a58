import type * as v from "valibot";
import { toPrintable } from "../dataset/error.ts";
import { DataError } from "../db/error.ts";
import { inNewFile } from "../db/new-file.ts";
import type { Database } from "../db/statement.ts";
import { check, type Schema } from "../lib/validation.ts";
import { ClientFeaturesFile, clientFeatureLines } from "./client-features.ts";
import { exportDataset } from "./export.ts";
import { FlagMap, mapFeatures } from "./flag-map.ts";
import { importDataset } from "./import.ts";
import { applySeed, isProjectText, prerequisiteLines, readProjectSeed } from "./project-seed.ts";

/** A format of seeds other than datasets, recognised by its JSON. */
interface Format {
  matches(value: object): boolean;
  /** @throws DataError */
  toFeatures(value: object): ClientFeaturesFile;
}

/** The first match counts. New formats are added here. */
const FORMATS: readonly Format[] = [
  {
    matches: (value) => "features" in value && Array.isArray(value.features),
    toFeatures: (value) => checked(ClientFeaturesFile, value),
  },
  {
    matches: (value) => !("kind" in value),
    toFeatures: (value) => checked(ClientFeaturesFile, mapFeatures(checked(FlagMap, value))),
  },
];

/**
 * Fills a new file from a seed: a dataset, flags as SDKs read them, a map of flags to true and false, or a project as
 * `apply` takes it. All but the first are added to the default content of a new file; flags that name no environment are
 * the same in all.
 * @throws DataError, DatasetError saying what is wrong, and where
 */
export async function loadSeed(db: Database, seed: Buffer): Promise<void> {
  const text = seed.toString("utf8").replace(/^\uFEFF/, "");
  const value = parsed(text);
  if (isProjectText(text, value)) return loadProject(db, text);
  const format = value && FORMATS.find(({ matches }) => matches(value));
  const features = format?.toFeatures(value!);
  const bytes = features ? withDefaultContent((has) => clientFeatureLines(features, has.environments)) : seed;
  await importDataset(db, once(bytes));
}

async function loadProject(db: Database, text: string) {
  const project = readProjectSeed(text);
  await importDataset(db, once(withDefaultContent((has) => prerequisiteLines(project, has))));
  applySeed(db, project);
}

/** Anything but a JSON object is left to the import, which reports what is wrong. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checked<S extends Schema>(schema: S, value: unknown): v.InferOutput<S> {
  const { violations, ...valid } = check(schema, value);
  if (!violations) return (valid as { value: v.InferOutput<S> }).value;
  const [{ path, message }] = violations;
  throw new DataError(toPrintable(`${path}: ${message}`));
}

interface NewFile {
  environments: string[];
  contextFields: string[];
}

/** The default content of a new file, which an import would replace, with more lines. */
function withDefaultContent(linesFor: (has: NewFile) => object[]): Buffer {
  const lines = inNewFile((fresh) => [...exportDataset(fresh)]);
  const end = lines.pop();
  const values = lines.map((line) => JSON.parse(line));
  const names = (kind: string) => values.filter((value) => value.kind === kind).map(({ name }) => name);
  const more = linesFor({ environments: names("environment"), contextFields: names("contextField") });
  const texts = more.map((line) => `${JSON.stringify(line, withoutNull)}\n`);
  return Buffer.from([...lines, ...texts, end].join(""));
}

const withoutNull = (_: string, value: unknown) => (value === null ? undefined : value);

async function* once(bytes: Buffer) {
  yield bytes;
}
