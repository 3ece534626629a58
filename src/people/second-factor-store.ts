import crypto from "node:crypto";
import { hashSecret } from "../access/token.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { decrypt, encrypt, UnreadableSecretError } from "../db/secrets.ts";
import { bookkeeping, command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { newCodeSecret, stepOf } from "./one-time-code.ts";
import type { User } from "./users-schema.ts";

/** How many wrong codes in a row are too many (NIST SP 800-63B): from then on, only recovery codes are accepted. */
const MAX_WRONG = 100;

/** How many recovery codes a user gets, and their length in bytes. */
const RECOVERY = { count: 10, bytes: 10 };

interface Factor {
  /** Encrypted. */
  secret: string;
  /** Null until a first code has shown that the app has the secret. */
  enabledAt: string | null;
  /** The step of the last code that was used: that code and earlier ones are refused. */
  lastStep: number;
  /** How many wrong codes there have been since the last right one. */
  wrong: number;
  /** The hashes of the recovery codes that are left. */
  recovery: readonly string[];
}

type Row = Omit<Factor, "recovery"> & { recovery: string };

const byUser = query<{ userId: number }, Row>(`
  SELECT secret, enabled_at AS enabledAt, last_step AS lastStep, wrong, recovery FROM second_factors
  WHERE user_id = :userId`);

const prepare = command<{ userId: number; secret: string }>(`
  INSERT INTO second_factors (user_id, secret) VALUES (:userId, :secret)
  ON CONFLICT DO UPDATE SET secret = :secret, wrong = 0`);

const enable = command<{ userId: number; now: string }>(`
  UPDATE second_factors SET enabled_at = :now WHERE user_id = :userId`);

const update = command<{ userId: number; lastStep: number; recovery: string }>(`
  UPDATE second_factors SET last_step = :lastStep, recovery = :recovery, wrong = 0 WHERE user_id = :userId`);

const countWrong = bookkeeping<{ userId: number }>(`
  UPDATE second_factors SET wrong = wrong + 1 WHERE user_id = :userId`);

const remove = command<{ userId: number }>(`DELETE FROM second_factors WHERE user_id = :userId`);

/** A user's second factor, prepared or enabled; undefined if there is none. */
export function factorOf(db: Database, userId: number): Factor | undefined {
  const row = byUser(db).get({ userId });
  return row && { ...row, recovery: JSON.parse(row.recovery) };
}

/** The roles whose holders must have a second factor to sign in with a password. */
const requiringOf = perDatabase(() => ({ roles: [] as ReadonlyArray<number | string> }));

/** From now on, users with these root roles, each by id or name, need a second factor. */
export const requireFactorOf = (db: Database, roles: ReadonlyArray<number | string>) =>
  void Object.assign(requiringOf(db), { roles });

const rolesHeld = query<{ userId: number }, { id: number; name: string }>(`
  SELECT id, name FROM roles WHERE id IN (
    SELECT root_role FROM users WHERE id = :userId
    UNION SELECT root_role FROM groups JOIN group_users ON group_id = groups.id WHERE user_id = :userId)`);

/** Whether a root role of the user's, their own or a group's, requires a second factor. */
export function isRequired(db: Database, userId: number): boolean {
  const { roles } = requiringOf(db);
  return (
    roles.length > 0 &&
    rolesHeld(db)
      .all({ userId })
      .some(({ id, name }) => roles.includes(id) || roles.includes(name))
  );
}

/**
 * Prepares a second factor with a new secret; it isn't asked for until it is enabled.
 * @returns the secret, in base32
 * @throws ApiError `InvalidOperationError` if there is one
 */
export function prepareFactor(tx: Tx, userId: number): string {
  if (factorOf(tx.db, userId)?.enabledAt)
    throw new ApiError("InvalidOperationError", "There is a second factor already: remove it first");
  const secret = newCodeSecret();
  prepare(tx).run({ userId, secret: encrypt(tx.db, secret, placeOf(userId)) });
  return secret;
}

const placeOf = (userId: number) => `second factor ${userId}`;

/**
 * Enables the second factor that was prepared, if the code is right.
 * @returns the recovery codes, which are not stored
 * @throws ApiError `SecondFactorRequired`
 */
export function enableFactor(tx: Tx, user: User, code: string): string[] {
  useCode(tx, user.id, code);
  const codes = Array.from({ length: RECOVERY.count }, () =>
    crypto
      .randomBytes(RECOVERY.bytes)
      .toString("hex")
      .replace(/.{5}(?!$)/g, "$&-"),
  );
  const { lastStep } = factorOf(tx.db, user.id)!;
  const recovery = JSON.stringify(codes.map((code) => hashSecret(plain(code))));
  enable(tx).run({ userId: user.id, now: tx.now });
  update(tx).run({ userId: user.id, lastStep, recovery });
  tx.record({ type: "second-factor-added", data: named(user) });
  return codes;
}

/** Also one that is only prepared, of which the log has never told. @throws ApiError `NotFoundError` if there is none */
export function removeFactor(tx: Tx, user: User) {
  const { enabledAt } = found(factorOf(tx.db, user.id), "second factor of this user");
  remove(tx).run({ userId: user.id });
  if (enabledAt !== null) tx.record({ type: "second-factor-removed", preData: named(user) });
}

const named = ({ id, name, username, email }: User) => ({
  id,
  ...(name !== null && { name }),
  ...(username !== null && { username }),
  ...(email !== undefined && { email }),
});

/** Uses up a code of the app or a recovery code. @throws ApiError `SecondFactorRequired` if it is wrong or was used */
export function useCode(tx: Tx, userId: number, code: string) {
  const { lastStep, recovery } = requireCode(tx.db, userId, code);
  update(tx).run({ userId, lastStep, recovery: JSON.stringify(recovery) });
}

/** What is left of a factor once the code is used. @throws ApiError `SecondFactorRequired` if it is wrong or was used */
export function requireCode(db: Database, userId: number, code: string): Factor {
  const factor = factorOf(db, userId);
  const left = factor && afterUse(db, userId, factor, plain(code));
  if (left) return left;
  throw codeError(
    factor && factor.wrong >= MAX_WRONG
      ? "body.code: there were too many wrong codes: use a recovery code, or ask an administrator for a reset"
      : "body.code: is wrong, or was used already",
  );
}

export const codeError = (message: string) => new ApiError("SecondFactorRequired", message);

/** As it is compared: people type spaces and dashes. */
const plain = (code: string) => code.replace(/[\s-]/g, "").toLowerCase();

function afterUse(db: Database, userId: number, factor: Factor, code: string): Factor | undefined {
  if (!/^\d{6}$/.test(code)) {
    const recovery = factor.recovery.filter((hash) => hash !== hashSecret(code));
    return recovery.length < factor.recovery.length ? { ...factor, recovery } : undefined;
  }
  if (factor.wrong >= MAX_WRONG) return undefined;
  const lastStep = stepOf(secretOf(db, userId, factor), code);
  return lastStep !== undefined && lastStep > factor.lastStep ? { ...factor, lastStep } : undefined;
}

function secretOf(db: Database, userId: number, { secret }: Factor) {
  try {
    return decrypt(db, secret, placeOf(userId));
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
    throw codeError(
      "The app's key can no longer be read: use a recovery code, or ask an administrator for a reset",
    );
  }
}

/** Counts a wrong code. */
export const noteWrongCode = (tx: Writing, userId: number) => void countWrong(tx).run({ userId });

const all = query<object, { userId: number; secret: string }>(
  `SELECT user_id AS userId, secret FROM second_factors`,
);

const rewrite = command<{ userId: number; secret: string }>(
  `UPDATE second_factors SET secret = :secret WHERE user_id = :userId`,
);

/** Re-encrypts all secrets with the current key. @returns how many */
export function reencryptFactors(tx: Writing): number {
  const factors = all(tx.db).all({});
  for (const { userId, secret } of factors) {
    const place = placeOf(userId);
    rewrite(tx).run({ userId, secret: encrypt(tx.db, decrypt(tx.db, secret, place), place) });
  }
  return factors.length;
}
