/** From here on JavaScript compares surrogates, and SQLite whole code points: they can differ if both texts get there. */
const HIGH = /[\ud800-\uffff]/;

/** Compares numbers or texts as SQLite does. @returns a negative number if `a` comes first */
export function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string" && HIGH.test(a) && HIGH.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
