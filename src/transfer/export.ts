import type { Kind } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { KINDS } from "./all-kinds.ts";

interface ExportOptions {
  /** Write secrets too, instead of masking them. */
  withSecrets?: boolean;
}

/**
 * Everything stored, as the lines of a dataset, from one snapshot even while others write. The same rows give
 * the same lines.
 */
export function* exportDataset(db: Database, { withSecrets = false }: ExportOptions = {}): Generator<string> {
  db.exec("BEGIN");
  try {
    yield `${JSON.stringify({ kind: "dataset", version: 1, source: "Flagstone", hasEnd: true })}\n`;
    for (const kind of KINDS) {
      for (const row of kind.lines(db)) yield toLine(db, kind, row, withSecrets);
    }
    yield `${JSON.stringify({ kind: "end" })}\n`;
  } finally {
    db.exec("COMMIT");
  }
}

/** The row may already be JSON text; `kind` comes first. */
function toLine(db: Database, kind: Kind, row: object | string, withSecrets: boolean) {
  const name = JSON.stringify(kind.name);
  if (typeof row === "string") return `{"kind":${name},${row.slice(1)}\n`;
  return `${JSON.stringify({ kind: kind.name, ...shown(db, kind, row, withSecrets) })}\n`;
}

/** A line with its secrets, or without. */
export const shown = (db: Database, { masked, revealed }: Kind, row: object, withSecrets: boolean): object =>
  (withSecrets ? revealed?.(db, row) : masked?.(row)) ?? row;
