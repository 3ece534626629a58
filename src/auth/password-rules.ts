/** OWASP's minimum length; longer passwords may be phrases (original). In characters. */
const SHORTEST = 10;
const LONGEST = 128;
const SHORTEST_PHRASE = 20;

const ALWAYS: ReadonlyArray<[isBroken: (password: string) => boolean, rule: string]> = [
  [(password) => password.length < SHORTEST, `must have ${SHORTEST} characters or more`],
  [(password) => password.length > LONGEST, `must have ${LONGEST} characters or less`],
  [(password) => /(.)\1{2}/su.test(password), "must not repeat a character three times in a row"],
];

const UNLESS_PHRASE: typeof ALWAYS = [
  [(password) => !/\p{Ll}/u.test(password), "must have a lower-case letter"],
  [(password) => !/\p{Lu}/u.test(password), "must have an upper-case letter"],
  [(password) => !/\d/.test(password), "must have a number"],
  [(password) => !/[^\p{L}\d]/u.test(password), "must have a special character"],
];

/** The rules that a password breaks; empty for a good one. */
export const brokenRules = (password: string): string[] =>
  [...ALWAYS, ...(password.length < SHORTEST_PHRASE ? UNLESS_PHRASE : [])]
    .filter(([isBroken]) => isBroken(password))
    .map(([, rule]) => rule);
