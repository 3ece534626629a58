import { decrypt, UnreadableSecretError } from "../../db/secrets.ts";
import { type Database, query } from "../../db/statement.ts";

/*
 * If the operator wants it, the secrets of API tokens can be read back, as some clients look for them in lists. They are
 * encrypted in the data file. That they are kept is a setting of the file, so that all processes using it agree.
 */

/** The setting's name; it is there if secrets are kept. */
export const SETTING = "readable-token-secrets";

const setting = query<object>(`SELECT 1 FROM settings WHERE name = '${SETTING}'`);

const kept = query<object, KeptSecret>(
  `SELECT id, hash, secret FROM tokens WHERE secret IS NOT NULL ORDER BY id`,
);

export interface KeptSecret {
  /** The token's id. */
  id: number;
  hash: string;
  /** Encrypted. */
  secret: string;
}

/** Whether the secrets of new API tokens are kept, and shown. */
export const keepsSecrets = (db: Database) => setting(db).get({}) !== undefined;

/** All that are stored, even if they aren't shown any more. */
export const keptSecrets = (db: Database): KeptSecret[] => kept(db).all({});

/** @throws UnreadableSecretError if the key is missing */
export const decryptSecret = (db: Database, { hash, secret }: Omit<KeptSecret, "id">) =>
  decrypt(db, secret, placeOf(hash));

/** Where the secret of the token with this hash is stored. */
export const placeOf = (hash: string) => `token ${hash}`;

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
