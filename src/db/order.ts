/** From here on JavaScript compares surrogates, and SQLite whole code points. */
const HIGH = /[\ud800-\uffff]/;

/** Compares numbers or texts as SQLite does. @returns a negative number if `a` comes first */
export function compare(a: string | number, b: string | number): number {
  if (typeof a === "string" && typeof b === "string" && (HIGH.test(a) || HIGH.test(b)))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
