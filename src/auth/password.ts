import crypto from "node:crypto";
import { promisify } from "node:util";

/*
 * Passwords are kept as `scrypt$N$r$p$salt$hash`, so that a later version can ask for more work and still know the old
 * ones.
 */

const scrypt = promisify<string, Buffer, number, crypto.ScryptOptions, Buffer>(crypto.scrypt);

/** What OWASP recommends for scrypt: 16 MiB of memory and five rounds. */
const COST = { N: 2 ** 14, r: 8, p: 5 };

/** In bytes. */
const LENGTH = 32;

/** Takes some 100 ms, so that guessing takes years. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.randomBytes(16);
  const hash = await derive(password, salt, COST);
  return [PREFIX, salt.toString("base64"), hash.toString("base64")].join("$");
}

const PREFIX = ["scrypt", COST.N, COST.r, COST.p].join("$");

/** Of nobody's password: whoever has none is refused no faster. */
const NOBODYS = `${PREFIX}$AAAAAAAAAAAAAAAAAAAAAA==$AAAA`;

/** Whether a stored hash took less work than one takes today, or other work. */
export const isOutdated = (stored: string) => !stored.startsWith(`${PREFIX}$`);

/** Whether this is the password that was hashed; false, as slowly, where there is none or its form is not known. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = FORM.exec(stored ?? "") ?? FORM.exec(NOBODYS)!;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, "base64");
  const derived = await derive(password, Buffer.from(salt, "base64"), cost).catch(() => EMPTY);
  return expected.length === LENGTH && derived.length === LENGTH && crypto.timingSafeEqual(derived, expected);
}

const FORM = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([^$]+)\$([^$]+)$/;

/** Where scrypt refuses the numbers that a dataset has brought. */
const EMPTY = Buffer.alloc(0);

const derive = (password: string, salt: Buffer, cost: typeof COST) =>
  scrypt(password.normalize("NFC"), salt, LENGTH, { ...cost, maxmem: 128 * 1024 * 1024 });
