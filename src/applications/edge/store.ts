import { hashSecret, isExpired } from "../../access/token.ts";
import { type Database, query } from "../../db/statement.ts";
import type { ValidTokens } from "./schema.ts";

type ValidToken = ValidTokens["tokens"][number];

interface Row {
  type: ValidToken["type"];
  projects: string;
  expiresAt: string | null;
}

const tokenByHash = query<{ hash: string }, Row>(`
  SELECT type, projects, expires_at AS expiresAt FROM tokens WHERE hash = :hash AND type <> 'user'`);

/** The valid application tokens among these secrets, without duplicates. */
export const validTokens = (db: Database, secrets: readonly string[]): ValidToken[] =>
  [...new Set(secrets)].flatMap((token) => {
    const row = tokenByHash(db).get({ hash: hashSecret(token) });
    if (!row || isExpired(row.expiresAt)) return [];
    return [{ token, type: row.type, projects: JSON.parse(row.projects) }];
  });
