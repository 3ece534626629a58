import { isUtf8 } from "node:buffer";
import * as v from "valibot";
import { isTooDeep, MAX_LINE_BYTES, mayBeTooDeep, TOO_DEEP } from "../lib/limits.ts";
import { parsedJson } from "../lib/text.ts";
import { check, isObject, type Schema, type Violation } from "../lib/validation.ts";
import { DatasetError, Flag, type Line, OptionalText, OptionalTime, type Place } from "./kind.ts";

const NEWLINE = 0x0a;

/** A text in parts, which may end anywhere. */
export type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

interface TextLine {
  /** Starting at 1. */
  number: number;
  text: string;
  /** The file ended before a line break. */
  isCut: boolean;
}

/** The first line of every dataset. */
const Header = v.strictObject({
  version: v.literal(1, "must be 1, the only version"),
  createdAt: OptionalTime,
  source: OptionalText,
  hasEnd: Flag(false),
});

/** The last line of an export. */
const End = v.strictObject({});

/** For longer lines only the first error is reported. */
const MAX_FULL_REPORT = 64 * 1024;

/**
 * The lines of a dataset, one chunk's worth at a time.
 * @throws DatasetError for anything other than a dataset, and if its end is missing
 */
export async function* datasetLines(chunks: Chunks): AsyncGenerator<Line[]> {
  const end = { isDue: false, isReached: false };
  let read = 0;
  const toLine = (line: TextLine, isFirst: boolean): Line => ({
    place: { line: line.number },
    read() {
      const { kind, ...keys } = parse(line);
      if (end.isReached) throw errorAt(line, "comes after the end of the dataset");
      if (isFirst) end.isDue = headerOf(kind, keys, line).hasEnd;
      else if (kind === "end") end.isReached = Boolean(checkedLine(End, keys, line));
      else return contentOf(kind, keys, line);
    },
  });
  for await (const lines of textLines(requireDataset(chunks)))
    yield lines.map((line) => toLine(line, read++ === 0));
  if (end.isDue && !end.isReached)
    throw new DatasetError({ line: read + 1 }, "the end of the dataset is missing (was the file cut short?)");
}

function contentOf(kind: unknown, keys: object, line: TextLine) {
  if (mayBeTooDeep(line.text)) requireShallow(keys, { line: line.number });
  return { kind, keys, isLong: line.text.length > MAX_FULL_REPORT };
}

const errorAt = ({ number }: TextLine, ...reasons: [string, ...string[]]) =>
  new DatasetError({ line: number }, ...reasons);

function parse(line: TextLine): Record<string, unknown> {
  const value = parsedJson(line.text);
  if (value === undefined)
    throw errorAt(line, `is not valid JSON${line.isCut ? " (was the file cut short?)" : ""}`);
  if (isObject(value)) return value;
  throw errorAt(line, "must be a JSON object");
}

function headerOf(kind: unknown, keys: object, line: TextLine) {
  if (kind !== "dataset") throw errorAt(line, "kind: the first line must be of the kind dataset");
  return checkedLine(Header, keys, line);
}

const checkedLine = <S extends Schema>(schema: S, keys: object, { number }: TextLine) =>
  checkedKeys(schema, keys, { line: number });

/** @throws DatasetError with everything that is wrong */
export function checkedKeys<S extends Schema>(
  schema: S,
  keys: object,
  place: Place,
  abortEarly = false,
): v.InferOutput<S> {
  const result = check(schema, keys, "", { abortEarly });
  if (!result.violations) return result.value;
  const [first, ...rest] = result.violations;
  throw new DatasetError(place, reason(first), ...rest.map(reason));
}

const reason = ({ path, message }: Violation) => (path === "" ? message : `${path}: ${message}`);

/** @throws DatasetError naming a key whose value is nested too deeply */
export function requireShallow(keys: object, place: Place) {
  const [key] = Object.entries(keys).find(([, value]) => isTooDeep(value)) ?? [];
  if (key !== undefined) throw new DatasetError(place, `${key}: ${TOO_DEEP}`);
}

/**
 * The lines of a UTF-8 text, one chunk's worth at a time. A byte-order mark and Windows line endings are removed, empty
 * lines are skipped.
 * @throws DatasetError for a line that is not UTF-8 or too long.
 */
export async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(toLine(bytes.subarray(start, end), ++number, false));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(number + 1);
    yield lines.filter((line) => line.text !== "");
  }
  const last = toLine(rest, number + 1, true);
  if (last.text !== "") yield [last];
}

function toLine(bytes: Buffer, number: number, isCut: boolean): TextLine {
  if (bytes.length > MAX_LINE_BYTES) throw tooLong(number);
  if (!isUtf8(bytes)) throw new DatasetError({ line: number }, "is not valid UTF-8");
  const text = bytes.toString("utf8").replace(/\r$/, "");
  return { number, text: number === 1 ? text.replace(/^\uFEFF/, "") : text, isCut };
}

const tooLong = (number: number) =>
  new DatasetError({ line: number }, `is longer than ${MAX_LINE_BYTES} bytes`);

/** Joins lines into larger chunks, since streams are slow with small ones. */
export function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += line;
    if (chunk.length < 64 * 1024) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/**
 * Passes the chunks through.
 * @throws DatasetError if they are a file in another known format, saying which and what to do.
 */
async function* requireDataset(chunks: Chunks): AsyncGenerator<Buffer> {
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
  return begin.includes("\n") && has(parsedJson(begin.slice(0, begin.indexOf("\n"))), "kind");
}

function requireOurs(bytes: Buffer) {
  if (beginsDataset(bytes)) return bytes;
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const what = binaryFormat(bytes) ?? foreignFormat(text, parsedJson(text)) ?? unknownFormat(text);
  if (what !== undefined) throw new DatasetError({ line: 1 }, what);
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
  if (has(value, "features")) return `these are flags as SDKs and offline proxies read them: ${SEED}`;
  return isMap(value) ? `these are flags as a simple map of an offline proxy: ${SEED}` : undefined;
}

/** A text that begins as an object counts as a dataset: any errors are reported for their line. */
function unknownFormat(text: string): string | undefined {
  const lines = text.trim().split("\n", 2);
  if (lines[0] === "") return "the file is empty";
  if (text.includes("-- PostgreSQL database dump"))
    return "this is a dump of PostgreSQL: if it is of an Unleash, use flagstone import --from-unleash";
  if (isObject(parsedJson(lines[0]!)) || (lines.length === 1 && text.trimStart().startsWith("{")))
    return undefined;
  return "this is not a dataset: see docs/dataset.md for the format";
}

const SEED = "flagstone run --seed FILE --file NEW -- true fills a new file with them";

const unsupported = (kinds: string) =>
  `which import does not support: convert them to lines of the kinds in docs/dataset.md (${kinds})`;

const STATE = ["strategies", "featureStrategies", "projects", "environments", "tagTypes"];

const isState = (value: unknown) => has(value, "version") && STATE.some((key) => has(value, key));

const isMap = (value: unknown) =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((flag) => has(flag, "enabled") && typeof flag.enabled === "boolean");

const has = <K extends string>(value: unknown, key: K): value is Record<K, unknown> =>
  isObject(value) && Object.hasOwn(value, key);

const TAR = "this is a tar archive: unpack it first with tar -xf FILE";

const RESTORE = "convert it with pg_restore -f dump.sql FILE, and use --from-unleash dump.sql";

const UTF_16 = "this is UTF-16: convert it with iconv -f UTF-16 -t UTF-8 FILE";

/** The first bytes of non-text formats, and what to do with such a file. */
const BEGINNINGS: ReadonlyArray<[bytes: string, what: string]> = [
  ["SQLite format 3\0", "this is a database: use flagstone restore, or serve it with --data"],
  ["PGDMP", `this is a dump in PostgreSQL's custom format: ${RESTORE}`],
  ["toc.dat\0", `this is a dump of PostgreSQL as a tar archive: ${RESTORE}`],
  ["\u001f\u008b", "this is a gzip file: unpack it first with gunzip FILE"],
  ["PK\u0003\u0004", "this is a zip archive: unpack it first with unzip FILE"],
  ["BZh", "this is a bzip2 file: unpack it first with bunzip2 FILE"],
  ["\u00fd7zXZ\0", "this is an xz file: unpack it first with unxz FILE"],
  ["\u0028\u00b5\u002f\u00fd", "this is a zstd file: unpack it first with unzstd FILE"],
  ["\u00ff\u00fe", UTF_16],
  ["\u00fe\u00ff", UTF_16],
  ["{\0", UTF_16],
  ["\0{", UTF_16],
];

/** The format of the bytes, judging by how they begin, and what to do with it; undefined if they may be text. */
export function binaryFormat(bytes: Buffer): string | undefined {
  const begin = bytes.toString("latin1", 0, 512);
  const known = BEGINNINGS.find(([bytes]) => begin.startsWith(bytes))?.[1];
  return known ?? (begin.startsWith("ustar", 257) ? TAR : undefined);
}
