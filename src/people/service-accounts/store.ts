import type { Pictured } from "../../access/avatar.ts";
import { type Database, query } from "../../db/statement.ts";
import { tokensOf } from "../tokens/require.ts";
import { requireOwnUser } from "../users/require.ts";
import type { ServiceAccount } from "./schema.ts";

const ids = query<object, number>(`SELECT id FROM users WHERE account_type = 'Service Account' ORDER BY id`);

/** All service accounts, by id. */
export const serviceAccounts = (db: Database): Array<Pictured<ServiceAccount>> =>
  ids(db)
    .pluck()
    .all({})
    .map((id) => serviceAccount(db, id));

/** An existing service account. */
export function serviceAccount(db: Database, id: number): Pictured<ServiceAccount> {
  const { accountType: _, scimId: __, ...account } = requireOwnUser(db, id);
  return { ...account, tokens: tokensOf(db, id) };
}
