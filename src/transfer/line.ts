import * as v from "valibot";
import { DatasetError, toPrintable } from "../dataset/error.ts";
import type { ImportContext, Kind } from "../dataset/kind.ts";
import { Flag, OptionalText, OptionalTime } from "../dataset/value.ts";
import { isTooDeep, MAX_JSON_DEPTH, mayBeTooDeep } from "../lib/limits.ts";
import { check, type Schema, type Violation } from "../lib/validation.ts";
import { explainRejection } from "./explain.ts";
import { KINDS } from "./kinds.ts";
import type { TextLine } from "./lines.ts";

/** The first line of every dataset. */
const Header = v.strictObject({
  version: v.literal(1, "must be 1, the only version"),
  createdAt: OptionalTime,
  source: OptionalText,
  hasEnd: Flag(false),
});

/** The last line of an export. */
const End = v.strictObject({});

const NONE: string[] = [];

/** For longer lines only the first error is reported. */
const MAX_FULL_REPORT = 64 * 1024;

const kinds = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/**
 * Stores one line in the caller's transaction and counts it; the first line is only the header.
 * @returns what the API would reject in it, safe for a terminal.
 * @throws DatasetError with everything wrong with the line; parts of it may have been stored by then.
 */
export function storeLine(
  context: ImportContext,
  textLine: TextLine,
  isFirst: boolean,
  counts: Record<string, number>,
): string[] {
  const { number, text } = textLine;
  const { kind: name, ...line } = parse(textLine);
  if (isFirst) return storeHeader(context, name, line, number);
  if (context.end.isReached) throw new DatasetError(number, "comes after the end of the dataset");
  if (name === "end") return storeEnd(context, line, number);
  const kind = kinds.get(name as string);
  if (!kind) throw new DatasetError(number, `kind: ${unknownKind(name)}`);
  if (mayBeTooDeep(text)) requireShallow(line, number);
  const value = checked(kind.schema, line, number, text.length > MAX_FULL_REPORT);
  try {
    kind.insert(context, value);
  } catch (error) {
    throw explainRejection(error, kind, line, number);
  }
  counts[kind.name] = (counts[kind.name] ?? 0) + 1;
  return kind.warnings ? [...kind.warnings(context.db, value)].map(toPrintable) : NONE;
}

function parse({ number, text, isCut }: TextLine): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DatasetError(number, `is not valid JSON${isCut ? " (was the file cut short?)" : ""}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new DatasetError(number, "must be a JSON object");
}

function unknownKind(name: unknown) {
  if (name === undefined) return "is missing";
  return typeof name === "object" ? "must be text" : `${JSON.stringify(name)} is not a known kind`;
}

function storeHeader({ end }: ImportContext, kind: unknown, line: object, number: number) {
  if (kind !== "dataset") throw new DatasetError(number, "kind: the first line must be of the kind dataset");
  end.isDue = checked(Header, line, number).hasEnd;
  return NONE;
}

function storeEnd({ end }: ImportContext, line: object, number: number) {
  checked(End, line, number);
  end.isReached = true;
  return NONE;
}

/** The end of a dataset of which nothing was read. */
export const notYet = () => ({ isDue: false, isReached: false });

/** @throws DatasetError unless all of the dataset was read */
export function requireEnd({ end }: ImportContext, linesRead: number) {
  if (end.isReached || !end.isDue) return;
  throw new DatasetError(linesRead + 1, "the end of the dataset is missing (was the file cut short?)");
}

function requireShallow(line: object, number: number) {
  const [key] = Object.entries(line).find(([, value]) => isTooDeep(value)) ?? [];
  if (key === undefined) return;
  throw new DatasetError(number, `${key}: must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function checked<S extends Schema>(
  schema: S,
  line: object,
  number: number,
  abortEarly = false,
): v.InferOutput<S> {
  const result = check(schema, line, "", { abortEarly });
  if (!result.violations) return result.value;
  const [first, ...rest] = result.violations;
  throw new DatasetError(number, reason(first), ...rest.map(reason));
}

const reason = ({ path, message }: Violation) => (path === "" ? message : `${path}: ${message}`);
