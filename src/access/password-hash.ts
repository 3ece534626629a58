import crypto from "node:crypto";
import { promisify } from "node:util";
import { bcrypt } from "#on-demand";

/*
 * Passwords are stored as `scrypt$N$r$p$salt$hash`, so that a later version can raise the cost and still verify old
 * ones.
 */

const scrypt = promisify<string, Buffer, number, crypto.ScryptOptions, Buffer>(crypto.scrypt);

/** OWASP's recommendation for scrypt: 16 MiB of memory and five rounds. Only tests lower it. */
export const COST = { N: 2 ** 14, r: 8, p: 5 };

/** In bytes. */
const LENGTH = 32;

/** Takes about 100 ms, so that guessing takes years. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.randomBytes(16);
  const hash = await derive(password, salt, COST);
  return [prefix(), salt.toString("base64"), hash.toString("base64")].join("$");
}

const prefix = () => ["scrypt", COST.N, COST.r, COST.p].join("$");

/** Matches no password, so that a failed sign-in takes as long for users without one. */
const dummy = () => `${prefix()}$AAAAAAAAAAAAAAAAAAAAAA==$AAAA`;

/** Whether a stored hash was made with a different cost from today's. */
export const isOutdated = (stored: string) => !stored.startsWith(`${prefix()}$`);

/** Whether the password matches the hash; takes just as long if there is no hash or its format is unknown. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (stored !== null && BCRYPT.test(stored)) return await bcrypt().compare(password, stored);
  const [, N, r, p, salt = "", hash = ""] = FORM.exec(stored ?? "") ?? FORM.exec(dummy())!;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, "base64");
  const derived = await derive(password, Buffer.from(salt, "base64"), cost).catch(() => EMPTY);
  return expected.length === LENGTH && derived.length === LENGTH && crypto.timingSafeEqual(derived, expected);
}

/** As an Unleash stores passwords; its first sign-in replaces it. A higher cost than 14 would take minutes. */
const BCRYPT = /^\$2[aby]\$(0\d|1[0-4])\$/;

const FORM = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([^$]+)\$([^$]+)$/;

/** Derived if scrypt rejects the parameters of an imported hash. */
const EMPTY = Buffer.alloc(0);

const derive = (password: string, salt: Buffer, cost: typeof COST) =>
  scrypt(password.normalize("NFC"), salt, LENGTH, { ...cost, maxmem: 128 * 1024 * 1024 });

/** OWASP's lengths, in characters (original). */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;

/** From this length on, a password may be a phrase (original). */
const MIN_PHRASE_LENGTH = 20;

/** A rule, and the sentence by which the original's page recognizes it. */
interface PasswordRule {
  isBroken(password: string): boolean;
  rule: string;
  known: string;
}

const ALWAYS: readonly PasswordRule[] = [
  {
    isBroken: (password) => password.length < PASSWORD_LENGTH.min,
    rule: `must have ${PASSWORD_LENGTH.min} characters or more`,
    known: "The password must be at least 10 characters long.",
  },
  {
    isBroken: (password) => password.length > PASSWORD_LENGTH.max,
    rule: `must have ${PASSWORD_LENGTH.max} characters or fewer`,
    known: "The password must be fewer than 128 characters.",
  },
  {
    isBroken: (password) => /(.)\1{2}/su.test(password),
    rule: "must not repeat a character three times in a row",
    known: "The password may not contain sequences of three or more repeated characters.",
  },
];

const contains = (pattern: RegExp, what: string, known: string): PasswordRule => ({
  isBroken: (password) => !pattern.test(password),
  rule: `must have ${what}`,
  known: `The password must contain at least one ${known}.`,
});

const UNLESS_PHRASE: readonly PasswordRule[] = [
  contains(/\p{Ll}/u, "a lower-case letter", "lowercase letter"),
  contains(/\p{Lu}/u, "an upper-case letter", "uppercase letter"),
  contains(/\d/, "a number", "number"),
  contains(/[^\p{L}\d]/u, "a special character", "special character"),
];

/** The rules that a password breaks; empty for a good one. */
export const brokenRules = (password: string): PasswordRule[] =>
  [...ALWAYS, ...(password.length < MIN_PHRASE_LENGTH ? UNLESS_PHRASE : [])].filter(({ isBroken }) =>
    isBroken(password),
  );
