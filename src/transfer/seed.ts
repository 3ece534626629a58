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
import { applySeed, isProjectText, linesBefore, readProjectSeed } from "./project-seed.ts";

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
 * Fills a new file from a seed: a dataset, flags as SDKs read them, a map of flags to true and false, or a project as
 * `apply` takes it. All but the first are added to the default content of a new file; flags that name no environment are
 * the same in all of them.
 * @throws DataError, DatasetError saying what is wrong, and where
 */
export async function loadSeed(db: Database, seed: Buffer): Promise<void> {
  const text = seed.toString("utf8").replace(/^\uFEFF/, "");
  const value = parsed(text);
  if (isProjectText(text, value)) return loadProject(db, text);
  const form = value && FORMS.find(({ isIt }) => isIt(value));
  const features = form?.toFeatures(value!);
  const bytes = features ? datasetOf((has) => clientFeatureLines(features, has.environments)) : seed;
  await importDataset(db, once(bytes));
}

async function loadProject(db: Database, text: string) {
  const project = readProjectSeed(text);
  await importDataset(db, once(datasetOf((has) => linesBefore(project, has))));
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
  const { violations, ...good } = check(schema, value);
  if (!violations) return (good as { value: v.InferOutput<S> }).value;
  const [{ path, message }] = violations;
  throw new DataError(toShown(`${path}: ${message}`));
}

interface NewFile {
  environments: string[];
  contextFields: string[];
}

/** Lines after the default content of a new file, which an import would replace. */
function datasetOf(own: (has: NewFile) => object[]): Buffer {
  const lines = linesOfNewFile();
  const values = lines.map((line) => JSON.parse(line));
  const names = (kind: string) => values.filter((value) => value.kind === kind).map(({ name }) => name);
  const more = own({ environments: names("environment"), contextFields: names("contextField") });
  const texts = more.map((line) => JSON.stringify(line, withoutNull));
  return Buffer.from(`${lines.join("")}${texts.join("\n")}\n`);
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
