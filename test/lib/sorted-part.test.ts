import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sortedPart } from "../../src/lib/sorted-part.ts";

const order = (a: number, b: number) => a - b;

test("any part of any items is that of all of them, sorted", () => {
  const numbers = fc.uniqueArray(fc.integer(), { minLength: 0, maxLength: 2000, size: "max" });
  const bound = fc.integer({ min: -10, max: 2100 });
  fc.assert(
    fc.property(numbers, bound, bound, (items, from, to) => {
      const expected = items.toSorted(order).slice(Math.max(0, from), Math.max(0, to));
      assert.deepEqual(sortedPart(items, from, to, order), expected);
    }),
    { numRuns: 200 },
  );
});

for (const [name, items] of [
  ["ascending", Array.from({ length: 20_000 }, (_, index) => index)],
  ["descending", Array.from({ length: 20_000 }, (_, index) => -index)],
  ["shuffled", Array.from({ length: 20_000 }, (_, index) => (index * 7919) % 20_011)],
  ["periodic", Array.from({ length: 20_000 }, (_, index) => (index % 400) * 1000 + index / 400)],
] as const) {
  test(`a part of ${name} items takes two comparisons an item or so`, () => {
    for (const from of [0, 9_975, 19_950]) {
      let compared = 0;
      const counted = (a: number, b: number) => {
        compared++;
        return order(a, b);
      };
      const part = sortedPart(items, from, from + 50, counted);
      assert.deepEqual(part, items.toSorted(order).slice(from, from + 50));
      assert.ok(compared < 3 * items.length, `${compared} comparisons`);
    }
  });
}
