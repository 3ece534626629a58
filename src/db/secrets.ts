import crypto from "node:crypto";
import fs from "node:fs";
import { type Database, perDatabase } from "./database.ts";
import { DataError, reasonOf } from "./error.ts";
import { stagedFile } from "./staged-file.ts";

/*
 * Secrets that are sent to other services, such as API keys, can't be stored as hashes. They are encrypted with a key
 * kept outside the data file, so that a copy or backup of that file reveals none of them.
 *
 * The key file contains one key per line, 32 bytes in base64. The first one encrypts; the others only decrypt older
 * secrets.
 */

interface Key {
  /** Stored with whatever it encrypts. */
  id: string;
  bytes: Buffer;
}

/** A secret can't be decrypted: its key is not in the key file, or it was tampered with. */
export class UnreadableSecretError extends DataError {}

/** What every encrypted text begins with. */
export const PREFIX = "encrypted:1:";

/** The keys as last read, and the file they are in, if it is not the one next to the data file. */
const keyringOf = perDatabase((): { keys?: Key[]; file?: string } => ({}));

/** Uses the keys in this file instead of the one next to the data file. @throws DataError if it contains none */
export function useKeyFile(db: Database, file: string) {
  Object.assign(keyringOf(db), { file, keys: readKeys(file) });
}

/** Uses the keys that another connection to the same file uses. */
export const useKeysOf = (db: Database, other: Database) =>
  void Object.assign(keyringOf(db), keyringOf(other));

/** The path of a data file's key file, unless `useKeyFile` sets another. */
export const keyFileBeside = (file: string) => `${fs.realpathSync(file)}.key`;

export const isEncrypted = (text: unknown): text is string =>
  typeof text === "string" && text.startsWith(PREFIX);

/** Encrypts a text (AES-256-GCM). @param place where it is stored; it can't be decrypted anywhere else */
export function encrypt(db: Database, text: string, place: string): string {
  const [key] = newestKeys(db);
  const iv = crypto.randomBytes(12);
  const cipher = crypto.createCipheriv("aes-256-gcm", key!.bytes, iv).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${PREFIX}${key!.id}:${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64")}`;
}

/** Whether the key file still has the key of this secret. */
export const hasKeyOf = (db: Database, stored: string) => keyOf(db, partsOf(stored).id) !== undefined;

function partsOf(stored: string) {
  const [id = "", content = ""] = stored.slice(PREFIX.length).split(":");
  return { id, content };
}

/** Decrypts a text; one that an older version stored unencrypted is returned as it is. @throws UnreadableSecretError */
export function decrypt(db: Database, stored: string, place: string): string {
  if (!isEncrypted(stored)) return stored;
  const { id, content } = partsOf(stored);
  const key = keyOf(db, id);
  if (!key) throw new UnreadableSecretError(`The key ${id} is missing: restore its key file`);
  try {
    return unseal(key, Buffer.from(content, "base64"), place);
  } catch {
    throw new UnreadableSecretError("A secret was changed and can't be read: set it again");
  }
}

function unseal(key: Key, bytes: Buffer, place: string) {
  const decipher = crypto.createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

/**
 * Rotates the key: `reencrypt` rewrites all secrets, and then the old keys are deleted.
 * If it fails, both are kept and nothing is lost.
 */
export function rotateKey(db: Database, reencrypt: () => void) {
  const file = fileOf(db);
  const [old, key] = [newestKeys(db), newKey()];
  saveKeys(db, file, [key, ...old]);
  reencrypt();
  saveKeys(db, file, [key]);
}

function saveKeys(db: Database, file: string | undefined, keys: Key[]) {
  if (file !== undefined) writeKeys(file, keys, true);
  keyringOf(db).keys = keys;
}

/** Re-reads the file if needed, as another process may have rotated the key. */
function keyOf(db: Database, id: string) {
  const find = (keys: readonly Key[]) => keys.find((key) => key.id === id);
  return find(keyringOf(db).keys ?? []) ?? find(load(db, false));
}

/** Always re-read, since only the file's current key may encrypt; created if there is none. */
const newestKeys = (db: Database) => load(db, true);

function load(db: Database, mustExist: boolean): Key[] {
  const file = fileOf(db);
  const keys = file === undefined ? (keyringOf(db).keys ?? [newKey()]) : loadFrom(file, mustExist);
  keyringOf(db).keys = keys;
  return keys;
}

/** An in-memory database keeps its key in memory too. */
const fileOf = (db: Database) => keyringOf(db).file ?? (db.memory ? undefined : keyFileBeside(db.name));

function loadFrom(file: string, mustExist: boolean): Key[] {
  if (!fs.existsSync(file)) {
    if (!mustExist) return [];
    writeKeys(file, [newKey()], false);
  }
  return readKeys(file); // another process may have created it first
}

const newKey = () => toKey(crypto.randomBytes(32));

const toKey = (bytes: Buffer): Key => ({
  id: crypto.createHash("sha256").update(bytes).digest("hex").slice(0, 8),
  bytes,
});

function readKeys(file: string): Key[] {
  const lines = read(file).split("\n");
  const keys = lines.flatMap((line) => (line.trim() === "" ? [] : [Buffer.from(line.trim(), "base64")]));
  if (keys.length > 0 && keys.every((bytes) => bytes.length === 32)) return keys.map(toKey);
  throw new DataError(
    `${file} must contain one 32-byte key in base64 per line, for example from: head -c 32 /dev/urandom | base64`,
  );
}

function read(file: string) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    throw new DataError(`${file} can't be read: ${reasonOf(error)}`);
  }
}

function writeKeys(file: string, keys: Key[], mayReplace: boolean) {
  using staged = stagedFile(file);
  fs.writeFileSync(staged.path, keys.map(({ bytes }) => `${bytes.toString("base64")}\n`).join(""));
  try {
    staged.commit({ mayReplace });
  } catch (error) {
    if (mayReplace || !fs.existsSync(file)) throw error;
  }
}
