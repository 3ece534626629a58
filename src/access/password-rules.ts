/** OWASP's lengths, in characters (original). */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;

/** From this length on, a password may be a phrase (original). */
const MIN_PHRASE_LENGTH = 20;

/** A rule, and the sentence by which the original's page recognizes it. */
export interface PasswordRule {
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

const UNLESS_PHRASE: readonly PasswordRule[] = [
  {
    isBroken: (password) => !/\p{Ll}/u.test(password),
    rule: "must have a lower-case letter",
    known: "The password must contain at least one lowercase letter.",
  },
  {
    isBroken: (password) => !/\p{Lu}/u.test(password),
    rule: "must have an upper-case letter",
    known: "The password must contain at least one uppercase letter.",
  },
  {
    isBroken: (password) => !/\d/.test(password),
    rule: "must have a number",
    known: "The password must contain at least one number.",
  },
  {
    isBroken: (password) => !/[^\p{L}\d]/u.test(password),
    rule: "must have a special character",
    known: "The password must contain at least one special character.",
  },
];

/** The rules that a password breaks; empty for a good one. */
export const brokenRules = (password: string): PasswordRule[] =>
  [...ALWAYS, ...(password.length < MIN_PHRASE_LENGTH ? UNLESS_PHRASE : [])].filter(({ isBroken }) =>
    isBroken(password),
  );
