import type * as v from "valibot";
import { DataError } from "../db/error.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import type { Database } from "../db/statement.ts";
import { check, type Schema } from "../validation.ts";
import { ClientFeaturesFile, clientFeatureLines } from "./client-features.ts";
import { toShown } from "./error.ts";
import { exportDataset } from "./export.ts";
import { FlagMap, mapFeatures } from "./flag-map.ts";
import { importDataset } from "./import.ts";

/** A format that a seed may have instead of a dataset, recognised by its JSON. */
interface Form {
  isIt(value: object): boolean;
  /** @throws DataError */
  toFeatures(value: object): ClientFeaturesFile;
}

/** The first match counts. New formats are added here. */
const FORMS: readonly Form[] = [
  {
    isIt: (value) => "features" in value && Array.isArray(value.features),
    toFeatures: (value) => checked(ClientFeaturesFile, value),
  },
  {
    isIt: (value) => !("kind" in value),
    toFeatures: (value) => checked(ClientFeaturesFile, mapFeatures(checked(FlagMap, value))),
  },
];

/**
 * Fills a new file from a seed: a dataset, flags as SDKs read them, or a map of flags to true and false. The last two
 * are added to the default content of a new file, the same in all of its environments.
 * @throws DataError, DatasetError saying what is wrong, and where
 */
export async function plant(db: Database, seed: Buffer): Promise<void> {
  const value = parsed(seed.toString("utf8").replace(/^\uFEFF/, ""));
  const form = value && FORMS.find(({ isIt }) => isIt(value));
  const bytes = form ? Buffer.from(datasetOf(form.toFeatures(value!))) : seed;
  await importDataset(db, once(bytes));
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
  const { violations, ...good } = check(schema, value);
  if (!violations) return (good as { value: v.InferOutput<S> }).value;
  const [{ path, message }] = violations;
  throw new DataError(toShown(`${path}: ${message}`));
}

/** Includes the default content of a new file, which an import would replace. */
function datasetOf(features: ClientFeaturesFile): string {
  const lines = linesOfNewFile();
  const environments = lines
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === "environment")
    .map(({ name }) => name);
  const own = clientFeatureLines(features, environments).map((line) => JSON.stringify(line, withoutNull));
  return `${lines.join("")}${own.join("\n")}\n`;
}

const withoutNull = (_: string, value: unknown) => (value === null ? undefined : value);

function linesOfNewFile(): string[] {
  const db = open(IN_MEMORY);
  try {
    return [...exportDataset(db)];
  } finally {
    close(db);
  }
}

async function* once(bytes: Buffer) {
  yield bytes;
}
