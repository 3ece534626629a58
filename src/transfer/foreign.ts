import { DatasetError } from "../dataset/error.ts";
import { MAX_LINE_BYTES } from "../lib/limits.ts";
import { binaryFormat } from "./binary.ts";

/**
 * Passes the chunks through.
 * @throws DatasetError if they are a file in another known format, saying which and what to do.
 */
export async function* requireDataset(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer[] | undefined = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (buffered === undefined) {
      yield chunk;
      continue;
    }
    buffered.push(chunk);
    const isNew = size < FIRST_LINE_BYTES; // what follows doesn't change the answer
    size += chunk.length;
    if (!(isNew && beginsDataset(Buffer.concat(buffered))) && size <= MAX_LINE_BYTES) continue;
    yield requireOurs(Buffer.concat(buffered));
    buffered = undefined;
  }
  if (buffered !== undefined) yield requireOurs(Buffer.concat(buffered));
}

const FIRST_LINE_BYTES = 64 * 1024;

/** Whether the first line is complete and states its kind, whatever else is wrong with it. */
function beginsDataset(bytes: Buffer) {
  const begin = bytes
    .toString("latin1", 0, FIRST_LINE_BYTES)
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .trimStart();
  return begin.includes("\n") && has(parsed(begin.slice(0, begin.indexOf("\n"))), "kind");
}

function requireOurs(bytes: Buffer) {
  if (beginsDataset(bytes)) return bytes;
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const what = binaryFormat(bytes) ?? foreignFormat(text, parsed(text)) ?? unknownFormat(text);
  if (what !== undefined) throw new DatasetError(1, what);
  return bytes;
}

/** The format of a text that is not a dataset, and what to do with it; undefined if unknown. */
function foreignFormat(text: string, value: unknown): string | undefined {
  const isPretty = /^\s*\[?\s*\{/.test(text) && /"kind"\s*:\s*"dataset"/.test(text.slice(0, 1000));
  if (isPretty && Array.isArray(value))
    return "this is a dataset in one list, but it must have one object per line: convert it with jq -c '.[]' FILE";
  if (isPretty && (value === undefined || text.trimEnd().includes("\n")))
    return "this is a pretty-printed dataset, but it must have one object per line: convert it with jq -c . FILE";
  if (isState(value) || /^version: \d+$[\s\S]*^features:/m.test(text))
    return `this is a state export of Unleash 3 to 5, ${unsupported("project, segment, feature and so on")}`;
  if (has(value, "features") && has(value, "featureStrategies"))
    return `this is a features-batch export of Unleash, ${unsupported("segment and feature")}`;
  if (has(value, "features"))
    return `these are flags as SDKs and offline proxies read them, ${unsupported("segment and feature")}`;
  return isMap(value)
    ? `these are flags as a simple map of an offline proxy, ${unsupported("feature")}`
    : undefined;
}

/** A text that begins as an object counts as a dataset: any errors are reported for their line. */
function unknownFormat(text: string): string | undefined {
  const lines = text.trim().split("\n", 2);
  if (lines[0] === "") return "the file is empty";
  if (isObject(parsed(lines[0]!)) || (lines.length === 1 && text.trimStart().startsWith("{")))
    return undefined;
  return "this is not a dataset: see docs/dataset.md for the format";
}

const unsupported = (kinds: string) =>
  `which import does not support: convert them to lines of the kinds in docs/dataset.md (${kinds})`;

const STATE = ["strategies", "featureStrategies", "projects", "environments", "tagTypes"];

const isState = (value: unknown) => has(value, "version") && STATE.some((key) => has(value, key));

const isMap = (value: unknown) =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((flag) => has(flag, "enabled") && typeof flag.enabled === "boolean");

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const has = <K extends string>(value: unknown, key: K): value is Record<K, unknown> =>
  isObject(value) && Object.hasOwn(value, key);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
