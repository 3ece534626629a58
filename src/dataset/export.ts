import type { Database } from "../db/statement.ts";
import { KINDS } from "./kinds.ts";

interface ExportOptions {
  /** Write the secret parameters of integrations too, instead of a mask. */
  withSecrets?: boolean;
}

/** What stands in for a secret; the original masks with the same. */
const MASK = "*****";

/** Parameters that give access to something, by name; an address that takes what anybody sends is such a secret. */
const SECRET = /token|secret|password|authorization|headers|key$/i;
const SECRET_ADDRESS: ReadonlySet<string> = new Set(["webhook", "slack", "teams", "teamsworkflow"]);

/**
 * Everything that is stored as the lines of a dataset, in one state also while others write. The same rows give
 * the same lines.
 */
export function* exportDataset(db: Database, { withSecrets = false }: ExportOptions = {}): Generator<string> {
  db.exec("BEGIN");
  try {
    yield `${JSON.stringify({ kind: "dataset", version: 1, source: "Flagstone" })}\n`;
    for (const { name, rows } of KINDS) {
      for (const row of rows(db))
        yield toLine(name, name === "integration" && !withSecrets ? masked(row) : row);
    }
  } finally {
    db.exec("COMMIT");
  }
}

/** The row may be JSON text already; `kind` goes first. */
const toLine = (kind: string, row: object | string) =>
  typeof row === "string"
    ? `{"kind":${JSON.stringify(kind)},${row.slice(1)}\n`
    : `${JSON.stringify({ kind, ...row })}\n`;

function masked(row: object | string): object {
  const { provider, parameters, ...rest } = row as { provider: string; parameters: Record<string, unknown> };
  const isSecret = (name: string) => SECRET.test(name) || (name === "url" && SECRET_ADDRESS.has(provider));
  const mask = ([name, value]: [string, unknown]) => [name, isSecret(name) ? MASK : value];
  return { ...rest, provider, parameters: Object.fromEntries(Object.entries(parameters).map(mask)) };
}
