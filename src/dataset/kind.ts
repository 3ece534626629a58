import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { isKnown, type KnownKind } from "../db/known.ts";
import { command, fromStored } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "../events/record.ts";
import { printable } from "../lib/text.ts";
import { NonEmptyText, type Schema, ShortText, Time } from "../lib/validation.ts";

/** What inserting a line may need besides the line itself. */
export interface ImportContext {
  /** The transaction that the line is inserted in. */
  tx: Writing;
  /** The same database, for look-ups. */
  db: Database;
  /** The default for a missing `createdAt`. */
  now: string;
  events: { store(event: StoredEvent): void };
}

/** Where something to import comes from; lines and rows are counted from 1, an answer is that of a URL. */
export type Place = { line: number } | { table: string; row: number } | { answer: string };

/** Something to import. */
export interface Line {
  place: Place;
  /**
   * @returns undefined if it is not to be stored, such as a header
   * @throws DatasetError
   */
  read(): Keys | undefined;
}

interface Keys {
  kind: unknown;
  keys: object;
  /** Whether it is so long that only its first error is reported. */
  isLong?: boolean;
}

/** One kind of line: its shape, how it becomes rows, and how rows become lines again. */
export interface Kind<S extends Schema = Schema> {
  name: string;
  /** The tables that `clear` empties; the first has the ids. Rows of other tables go with theirs. */
  tables: readonly string[];
  /** Whether ids are never reused, since events, flags and scripts may refer to something deleted (AUTOINCREMENT). */
  isNumbered?: boolean;
  schema: S;
  /** Removes all there are; what every file has is as in a new one. */
  clear(tx: Writing): void;
  /** @throws LineError for a reference to something not defined above; SQLite's constraint errors. */
  insert(context: ImportContext, line: unknown): void;
  /** Lines of this kind, or their JSON text, in an order that can be imported. */
  lines(db: Database): Iterable<object | string>;
  /** A line with its secrets decrypted; only for kinds that store them encrypted. */
  revealed?(db: Database, line: object): object;
  /** A line without its secrets; only for kinds that have any. */
  masked?(line: object): object;
  /** What the API would reject in a line that was stored all the same. */
  warnings?(db: Database, line: unknown): Iterable<string>;
}

interface Definition<S extends LineSchema> {
  name: string;
  /** By default the plural of the name: `tag_types` for `tagType`. */
  tables?: readonly string[];
  isNumbered?: boolean;
  schema: S;
  /** What must be on an earlier line: the kind whose keys are at a path, such as `tags.type` for those of all tags. */
  refers?: Readonly<Record<string, KnownKind>>;
  /** By default, deletes all rows of the tables. */
  clear?(tx: Writing): void;
  insert(context: ImportContext, line: v.InferOutput<S>): void;
  /** Rows with the keys of the schema, as stored or as values; null for a key that is left out. */
  rows(db: Database): Iterable<object | string>;
  revealed?(db: Database, line: v.InferInput<S>): object;
  masked?(line: v.InferInput<S>): object;
  warnings?(db: Database, line: v.InferOutput<S>): Iterable<string>;
}

type LineSchema = Schema & { entries: v.ObjectEntries };

/** `kind({ name, schema, … })`: types the insert function's line by the schema. */
export function kind<S extends LineSchema>({
  name,
  refers = {},
  tables = [pluralOf(name)],
  clear = deletingFrom(tables),
  ...definition
}: Definition<S>): Kind<S> {
  const references = Object.entries(refers).map(([path, kind]) => ({ kind, keys: path.split(".") }));
  const restored = fromStored(definition.schema);
  return {
    tables,
    clear,
    ...(definition as Omit<Definition<LineSchema>, "refers"> & { schema: S }),
    name,
    insert(context, line) {
      for (const { kind, keys } of references)
        for (const [path, key] of keysAt(line, keys)) requireKnown(context.db, kind, key, path);
      definition.insert(context, line as v.InferOutput<S>);
    },
    *lines(db) {
      for (const row of definition.rows(db))
        yield typeof row === "string" ? row : withoutNulls(restored(row));
    },
  };
}

const pluralOf = (name: string) => `${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}s`;

function deletingFrom(tables: readonly string[]) {
  const removals = tables.map((table) => command<object>(`DELETE FROM ${table}`));
  return (tx: Writing) => {
    for (const remove of removals) remove(tx).run({});
  };
}

/** The keys at a path, each with its own path; that of a list's element has its index. */
function* keysAt(value: unknown, keys: readonly string[], path = ""): Generator<[string, string | number]> {
  const [key, ...rest] = keys;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* keysAt(item, keys, `${path}.${index}`);
  else if (key !== undefined)
    yield* keysAt((value as Record<string, unknown>)[key], rest, path === "" ? key : `${path}.${key}`);
  else if (value !== null) yield [path, value as string | number];
}

/** Why a line is inconsistent with the lines above it. */
export class LineError extends Error {}

/** For a reason, which may quote the line. */
const MAX_REASON_LENGTH = 500;

/** A dataset that can't be imported: the message gives the place and the first reason, safe for a terminal. */
export class DatasetError extends Error {
  readonly place: Place;
  /** Everything wrong there. */
  readonly reasons: readonly string[];

  constructor(place: Place, ...reasons: [string, ...string[]]) {
    const shown = reasons.map(toPrintable) as [string, ...string[]];
    super(`${placeText(place)}: ${shown[0]}`);
    this.place = place;
    this.reasons = shown;
  }
}

export function placeText(place: Place) {
  if ("line" in place) return `line ${place.line}`;
  return "answer" in place ? place.answer : `table ${place.table}, row ${place.row}`;
}

/** The same for a line whose subject is already in the file, or on an earlier line. */
export class DuplicateError extends DatasetError {}

/** A reason or a warning, made safe for a terminal. */
export const toPrintable = (reason: string) =>
  printable(reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason);

/** @throws LineError with the path, the kind and the key if the thing doesn't exist. */
function requireKnown(db: Database, kind: KnownKind, key: string | number, path: string) {
  if (isKnown(db, kind, key)) return;
  throw new LineError(`${path}: no ${kind} ${JSON.stringify(key)} before it`);
}

/** An optional key, which may also be null. */
export const optional = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

export const OptionalText = optional(ShortText);

export const Flag = (preset: boolean) => v.optional(v.boolean(), preset);

/** Any number that JSON can represent. */
export const Real = v.pipe(v.number(), v.finite("must be a finite number"));

/** A row's id, small enough that the ids assigned after it are exact too. */
export const Id = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be 1 or more"),
  v.maxValue(2 ** 52, "must be 2^52 or less"),
);

/** The name of something; one used in paths is a `PathName`. */
export const Name = NonEmptyText;

/** The stored hash of a secret. */
export const Hash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 as 64 lower-case hex digits"),
);

export const OptionalTime = optional(Time);

/** A boolean as columns store it. */
export const bit = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** A line without its null keys, which is how it is written. */
export const withoutNulls = (line: object) =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null));

/*
 * What a dataset may contain although the API would reject it: it is stored and served as it is, but must be corrected
 * before it can be changed. Each warning begins with the path.
 */

/** For a name that becomes part of URLs. */
export function* nameWarnings(path: string, name: string): Generator<string> {
  if (encodeURIComponent(name) !== name || name.length > 100)
    yield `${path}: the API accepts up to 100 letters, digits and - . _ ~ ! * ' ( )`;
}
