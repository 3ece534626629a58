import { hasEnded, hashSecret } from "../../auth/token.ts";
import { type Database, query } from "../../db/statement.ts";
import type { GoodTokens } from "./schema.ts";

type Good = GoodTokens["tokens"][number];

interface Row {
  type: Good["type"];
  projects: string;
  expiresAt: string | null;
}

const tokenByHash = query<{ hash: string }, Row>(`
  SELECT type, projects, expires_at AS expiresAt FROM tokens WHERE hash = :hash AND type <> 'user'`);

/** The secrets that are valid tokens of applications, without duplicates. */
export const goodTokens = (db: Database, secrets: readonly string[]): Good[] =>
  [...new Set(secrets)].flatMap((token) => {
    const row = tokenByHash(db).get({ hash: hashSecret(token) });
    if (!row || hasEnded(row.expiresAt)) return [];
    return [{ token, type: row.type, projects: JSON.parse(row.projects) }];
  });
