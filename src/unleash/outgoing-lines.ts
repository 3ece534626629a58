import type * as v from "valibot";
import type { Kind } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { feature } from "../flags/features-dataset.ts";
import { project } from "../projects/projects-dataset.ts";
import { shown } from "../transfer/export.ts";

/*
 * From the lines of a dataset to the rows of tables, to their text, and to a list of what is left.
 */

export interface Context {
  db: Database;
  withSecrets: boolean;
  leave: Leave;
}

/** A line of a kind. */
export type Of<K> = K extends Kind<infer S> ? v.InferOutput<S> : never;

/** What fills a table. */
export type Rows = (context: Context) => Iterable<Row>;

type LineSchema = Kind["schema"] & { entries: v.ObjectEntries };

/** The rows that lines of a kind become. */
export const from = <S extends LineSchema>(
  kind: Kind<S>,
  toRows: (line: v.InferOutput<S>, context: Context) => Iterable<Row>,
): Rows =>
  function* (context) {
    for (const line of linesOf(kind, context)) yield* toRows(line, context);
  };

/** The lines of a kind, each with all of its keys. */
export function* linesOf<S extends LineSchema>(
  kind: Kind<S>,
  { db, withSecrets }: Pick<Context, "db" | "withSecrets">,
): Generator<v.InferOutput<S>> {
  const nulls = Object.fromEntries(Object.keys(kind.schema.entries).map((key) => [key, null]));
  for (const line of kind.lines(db)) {
    const given = typeof line === "string" ? JSON.parse(line) : shown(db, kind, line, withSecrets);
    yield { ...nulls, ...given };
  }
}

/** The same of a kind in a file, without secrets. */
export const allOf = <S extends LineSchema>(kind: Kind<S>, db: Database) =>
  linesOf(kind, { db, withSecrets: false });

/** The rows of several, one after the other. */
export const inTurn = (...parts: Rows[]): Rows =>
  function* (context) {
    for (const rows of parts) yield* rows(context);
  };

/** The rows that flags become. */
export const fromFlags = (toRows: (line: Of<typeof feature>, context: Context) => Iterable<Row>): Rows =>
  function* (context) {
    for (const line of flagsOf(context)) yield* toRows(line, context);
  };

/** Flags, each with a state in exactly the environments of its project. */
function* flagsOf(context: Context): Generator<Of<typeof feature>> {
  const environmentsOf = new Map<string, string[]>();
  for (const { id, environments } of linesOf(project, context)) environmentsOf.set(id, environments);
  for (const line of linesOf(feature, context)) {
    const states = new Map(line.environments.map((state) => [state.name, state]));
    const environments = environmentsOf
      .get(line.project)!
      .map((name) => states.get(name) ?? { ...OFF, name });
    yield { ...line, environments };
  }
}

const OFF = { enabled: false, variants: [], lastSeenAt: null, strategies: [] };

/** A row by its columns, in camel case. Objects and lists become JSON; null and undefined become NULL. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A table's rows as a `COPY` statement with its data; nothing if there are none. The first row has all columns.
 * @param onReplaced called for each cell that contains what PostgreSQL can't store
 */
export function* copyOf(table: string, rows: Iterable<Row>, onReplaced: () => void): Generator<string> {
  let keys: string[] | undefined;
  for (const row of rows) {
    if (keys === undefined) {
      keys = Object.keys(row);
      yield `COPY ${table} (${keys.map(toColumn).join(", ")}) FROM stdin;\n`;
    }
    yield `${keys.map((key) => toCell(row[key], onReplaced)).join("\t")}\n`;
  }
  if (keys !== undefined) yield "\\.\n\n";
}

const toColumn = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function toCell(value: unknown, onReplaced: () => void): string {
  if (value === null || value === undefined) return "\\N";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const storable = typeof value === "object" ? storableJson(text) : storableText(text);
  if (storable !== text) onReplaced();
  return storable.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!);
}

/** In place of NUL and of half a surrogate pair, which PostgreSQL refuses. */
const REPLACEMENT = "\ufffd";

const storableText = (text: string) => text.toWellFormed().replaceAll("\0", REPLACEMENT);

/** Both are escaped in JSON text. An escaped backslash is passed over, so that what follows it is not taken for one. */
const storableJson = (json: string) =>
  /\\u(0000|d)/.test(json)
    ? json.replace(/\\(u0000|ud[89a-f]..|.)/g, (all, what: string) => (what.length > 1 ? REPLACEMENT : all))
    : json;

/** Things of a kind that the other side will lack, or have otherwise, and why. */
export interface Left {
  kind: string;
  reason: string;
  count: number;
  /** If something has to be done about each. */
  names: string[];
}

/** Counts one more, with its name if someone has to do something about it. */
export type Leave = (kind: string, reason: string, name?: string) => void;

/** What counts, and the list of what was counted, by kind and reason. */
export function leaving(): { leave: Leave; list(): Left[] } {
  const all = new Map<string, Left>();
  const leave: Leave = (kind, reason, name) => {
    const key = `${kind}: ${reason}`;
    const one = all.get(key) ?? { kind, reason, count: 0, names: [] };
    all.set(key, one);
    one.count++;
    if (name !== undefined) one.names.push(name);
  };
  return { leave, list: () => [...all.values()] };
}
