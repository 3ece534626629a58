import { encrypt } from "../../db/secrets.ts";
import { command } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { decryptSecret, keptSecrets, placeOf, SETTING } from "./secrets-store.ts";

const keep = command<object>(`INSERT OR IGNORE INTO settings (name, content) VALUES ('${SETTING}', '{}')`);

const keepNoLonger = command<object>(`DELETE FROM settings WHERE name = '${SETTING}'`);

const forget = command<object>(`UPDATE tokens SET secret = NULL WHERE secret IS NOT NULL`);

const rewrite = command<{ id: number; secret: string }>(`UPDATE tokens SET secret = :secret WHERE id = :id`);

/** From now on, keeps the secrets of new API tokens. */
export const keepSecrets = (tx: Writing) => void keep(tx).run({});

/** Forgets the secrets that are kept, and keeps no more. */
export function forgetSecrets(tx: Writing) {
  keepNoLonger(tx).run({});
  forget(tx).run({});
}

/** The secret as it is stored. */
export const encryptSecret = ({ db }: Writing, hash: string, secret: string) =>
  encrypt(db, secret, placeOf(hash));

/** Re-encrypts all with the current key. @returns how many */
export function reencryptTokenSecrets(tx: Writing): number {
  const all = keptSecrets(tx.db);
  for (const stored of all)
    rewrite(tx).run({ id: stored.id, secret: encryptSecret(tx, stored.hash, decryptSecret(tx.db, stored)) });
  return all.length;
}
