/** Beyond these characters JavaScript compares halves of pairs, and SQLite whole code points. */
const HIGH = /[\ud800-\uffff]/;

/** Numbers and texts in the order that SQLite gives them. @returns below 0 where `a` comes first */
export function compare(a: string | number, b: string | number): number {
  if (typeof a === "string" && typeof b === "string" && (HIGH.test(a) || HIGH.test(b)))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
