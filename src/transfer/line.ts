import * as v from "valibot";
import { isTooDeep, MAX_JSON_DEPTH, mayBeTooDeep } from "../limits.ts";
import { check, type Violation } from "../validation.ts";
import { DatasetError, toPrintable } from "./error.ts";
import { explainRejection } from "./explain.ts";
import type { ImportContext, Kind } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import type { TextLine } from "./lines.ts";
import { OptionalText, OptionalTime } from "./value.ts";

/** The first line of every dataset. */
const Header = v.strictObject({
  version: v.literal(1, "must be 1, the only version"),
  createdAt: OptionalTime,
  source: OptionalText,
});

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
  if (isFirst) return requireHeader(name, line, number);
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

function requireHeader(kind: unknown, line: object, number: number) {
  if (kind !== "dataset") throw new DatasetError(number, "kind: the first line must be of the kind dataset");
  checked(Header, line, number);
  return NONE;
}

function requireShallow(line: object, number: number) {
  const [key] = Object.entries(line).find(([, value]) => isTooDeep(value)) ?? [];
  if (key === undefined) return;
  throw new DatasetError(number, `${key}: must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function checked(schema: Kind["schema"], line: object, number: number, abortEarly = false): unknown {
  const result = check(schema, line, "", { abortEarly });
  if (!result.violations) return result.value;
  const [first, ...rest] = result.violations;
  throw new DatasetError(number, reason(first), ...rest.map(reason));
}

const reason = ({ path, message }: Violation) => (path === "" ? message : `${path}: ${message}`);
