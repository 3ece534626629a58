import type * as v from "valibot";
import type { Database } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "../events/record.ts";
import type { Schema } from "../validation.ts";

/** What inserting a line may need beside the line itself. */
export interface ImportContext {
  /** What a line is inserted in. */
  tx: Writing;
  /** The same database, for what is looked up. */
  db: Database;
  /** Stands in for a `createdAt` that was left out. */
  now: string;
  events: { store(event: StoredEvent): void };
}

/** One kind of line: its shape, how a line becomes rows, and how rows become lines again. */
export interface Kind {
  name: string;
  schema: Schema;
  /** @throws LineError for a reference to what does not stand above; SQLite's constraint errors. */
  insert(context: ImportContext, line: unknown): void;
  /** Lines of this kind, or the JSON text of them, in an order that may be imported. */
  rows(db: Database): Iterable<object | string>;
  /** A row with its secrets readable; only where they are stored encrypted. */
  revealed?(db: Database, row: object): object;
  /** A row without its secrets; only where there are some. */
  masked?(row: object): object;
  /** What the API would refuse in a line that was stored all the same. */
  warnings?(db: Database, line: unknown): Iterable<string>;
}

/** `kind({ name, schema, … })`: the insert function then gets what the schema checks. */
export const kind = <S extends Schema>(definition: {
  name: string;
  schema: S;
  insert(context: ImportContext, line: v.InferOutput<S>): void;
  rows(db: Database): Iterable<object | string>;
  revealed?(db: Database, row: v.InferInput<S>): object;
  masked?(row: v.InferInput<S>): object;
  warnings?(db: Database, line: v.InferOutput<S>): Iterable<string>;
}): Kind => definition as Kind;
