import type * as v from "valibot";
import type { Database } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "../events/record.ts";
import type { Schema } from "../lib/validation.ts";

/** What inserting a line may need besides the line itself. */
export interface ImportContext {
  /** The transaction that the line is inserted in. */
  tx: Writing;
  /** The same database, for look-ups. */
  db: Database;
  /** The default for a missing `createdAt`. */
  now: string;
  events: { store(event: StoredEvent): void };
  end: End;
}

/** Whether the dataset says that it has an end, so that one that was cut short is recognised. */
interface End {
  isDue: boolean;
  isReached: boolean;
}

/** One kind of line: its shape, how it becomes rows, and how rows become lines again. */
export interface Kind {
  name: string;
  schema: Schema;
  /** @throws LineError for a reference to something not defined above; SQLite's constraint errors. */
  insert(context: ImportContext, line: unknown): void;
  /** Lines of this kind, or their JSON text, in an order that can be imported. */
  rows(db: Database): Iterable<object | string>;
  /** A row with its secrets decrypted; only for kinds that store them encrypted. */
  revealed?(db: Database, row: object): object;
  /** A row without its secrets; only for kinds that have any. */
  masked?(row: object): object;
  /** What the API would reject in a line that was stored all the same. */
  warnings?(db: Database, line: unknown): Iterable<string>;
}

/** `kind({ name, schema, … })`: types the insert function's line by the schema. */
export const kind = <S extends Schema>(definition: {
  name: string;
  schema: S;
  insert(context: ImportContext, line: v.InferOutput<S>): void;
  rows(db: Database): Iterable<object | string>;
  revealed?(db: Database, row: v.InferInput<S>): object;
  masked?(row: v.InferInput<S>): object;
  warnings?(db: Database, line: v.InferOutput<S>): Iterable<string>;
}): Kind => definition as Kind;
