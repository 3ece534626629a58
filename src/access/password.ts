import crypto from "node:crypto";
import { promisify } from "node:util";

/*
 * Passwords are stored as `scrypt$N$r$p$salt$hash`, so that a later version can raise the cost and still verify old
 * ones.
 */

const scrypt = promisify<string, Buffer, number, crypto.ScryptOptions, Buffer>(crypto.scrypt);

/** OWASP's recommendation for scrypt: 16 MiB of memory and five rounds. */
const COST = { N: 2 ** 14, r: 8, p: 5 };

/** In bytes. */
const LENGTH = 32;

/** Takes about 100 ms, so that guessing takes years. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.randomBytes(16);
  const hash = await derive(password, salt, COST);
  return [PREFIX, salt.toString("base64"), hash.toString("base64")].join("$");
}

const PREFIX = ["scrypt", COST.N, COST.r, COST.p].join("$");

/** Matches no password, so that a failed sign-in takes as long for users without one. */
const DUMMY = `${PREFIX}$AAAAAAAAAAAAAAAAAAAAAA==$AAAA`;

/** Whether a stored hash was made with a different cost from today's. */
export const isOutdated = (stored: string) => !stored.startsWith(`${PREFIX}$`);

/** Whether the password matches the hash; takes just as long if there is no hash or its format is unknown. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = FORM.exec(stored ?? "") ?? FORM.exec(DUMMY)!;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, "base64");
  const derived = await derive(password, Buffer.from(salt, "base64"), cost).catch(() => EMPTY);
  return expected.length === LENGTH && derived.length === LENGTH && crypto.timingSafeEqual(derived, expected);
}

const FORM = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([^$]+)\$([^$]+)$/;

/** Derived if scrypt rejects the parameters of an imported hash. */
const EMPTY = Buffer.alloc(0);

const derive = (password: string, salt: Buffer, cost: typeof COST) =>
  scrypt(password.normalize("NFC"), salt, LENGTH, { ...cost, maxmem: 128 * 1024 * 1024 });
