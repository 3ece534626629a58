import type { Database } from "../db/database.ts";
import { decrypt, encrypt, UnreadableSecretError } from "../db/secrets.ts";
import { command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";

/*
 * If the operator wants it, the secrets of API tokens can be read back, as some clients look for them in lists. They are
 * encrypted in the data file. That they are kept is a setting of the file, so that all processes using it agree.
 */

/** The setting's name; it is there if secrets are kept. */
const SETTING = "readable-token-secrets";

const setting = query<object>(`SELECT 1 FROM settings WHERE name = '${SETTING}'`);

const keep = command<object>(`INSERT OR IGNORE INTO settings (name, content) VALUES ('${SETTING}', '{}')`);

const keepNoLonger = command<object>(`DELETE FROM settings WHERE name = '${SETTING}'`);

interface KeptSecret {
  /** The token's id. */
  id: number;
  hash: string;
  /** Encrypted. */
  secret: string;
}

const kept = query<object, KeptSecret>(
  `SELECT id, hash, secret FROM tokens WHERE secret IS NOT NULL ORDER BY id`,
);

const forget = command<object>(`UPDATE tokens SET secret = NULL WHERE secret IS NOT NULL`);

const rewrite = command<{ id: number; secret: string }>(`UPDATE tokens SET secret = :secret WHERE id = :id`);

/** Whether the secrets of new API tokens are kept, and shown. */
export const keepsSecrets = (db: Database) => setting(db).get({}) !== undefined;

/** From now on, keeps the secrets of new API tokens. */
export const keepSecrets = (tx: Writing) => void keep(tx).run({});

/** Forgets the secrets that are kept, and keeps no more. */
export function forgetSecrets(tx: Writing) {
  keepNoLonger(tx).run({});
  forget(tx).run({});
}

/** All that are stored, even if they aren't shown any more. */
export const keptSecrets = (db: Database): KeptSecret[] => kept(db).all({});

/** The secret as it is stored. */
export const encryptSecret = ({ db }: Writing, hash: string, secret: string) =>
  encrypt(db, secret, placeOf(hash));

/** @throws UnreadableSecretError if the key is missing */
export const decryptSecret = (db: Database, { hash, secret }: Omit<KeptSecret, "id">) =>
  decrypt(db, secret, placeOf(hash));

/** Where the secret of the token with this hash is stored. */
const placeOf = (hash: string) => `token ${hash}`;

/** Re-encrypts all with the current key. @returns how many */
export function reencryptTokenSecrets(tx: Writing): number {
  const all = keptSecrets(tx.db);
  for (const stored of all)
    rewrite(tx).run({ id: stored.id, secret: encryptSecret(tx, stored.hash, decryptSecret(tx.db, stored)) });
  return all.length;
}

/** The secrets that can be shown, by the token's id; none whose key is missing. */
export const readableSecrets = (db: Database): ReadonlyMap<number, string> =>
  new Map(keepsSecrets(db) ? keptSecrets(db).flatMap((stored) => readable(db, stored)) : []);

function readable(db: Database, stored: KeptSecret): Array<[number, string]> {
  try {
    return [[stored.id, decryptSecret(db, stored)]];
  } catch (error) {
    if (error instanceof UnreadableSecretError) return [];
    throw error;
  }
}
