import type * as v from "valibot";
import type { Kind } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { feature } from "../flags/features-dataset.ts";
import { project } from "../projects/projects-dataset.ts";
import { shown } from "../transfer/export.ts";
import type { Leave } from "./left.ts";
import type { Row } from "./to-sql-copy.ts";

/*
 * From the lines of a dataset to the rows of tables.
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
