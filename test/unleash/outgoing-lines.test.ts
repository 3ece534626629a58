import assert from "node:assert/strict";
import { test } from "node:test";
import { copyOf, type Row } from "../../src/unleash/outgoing-lines.ts";

/** The data lines of a table with this one column. */
function cellsOf(...values: unknown[]) {
  let replaced = 0;
  const rows = values.map((value): Row => ({ someValue: value }));
  const text = [...copyOf("public.t", rows, () => replaced++)].join("");
  assert.match(text, /^COPY public\.t \(some_value\) FROM stdin;\n/);
  return { cells: text.split("\n").slice(1, -3), replaced };
}

test("what separates cells and rows is escaped", () => {
  const { cells } = cellsOf("tab\there", "two\nlines", "a\rb", "back\\slash", "\\N", "\\.", "");
  assert.deepEqual(cells, ["tab\\there", "two\\nlines", "a\\rb", "back\\\\slash", "\\\\N", "\\\\.", ""]);
});

test("nothing, numbers and booleans are written as PostgreSQL reads them, all else as JSON", () => {
  const { cells } = cellsOf(null, undefined, 0.5, true, ["a\tb"], { a: "\n" });
  assert.deepEqual(cells, ["\\N", "\\N", "0.5", "true", '["a\\\\tb"]', '{"a":"\\\\n"}']);
});

test("NUL and half a character are replaced and counted, also in JSON, but not what only looks like them", () => {
  const { cells, replaced } = cellsOf("a\0b", "\ud83d!", { "k\0": "\0" }, ["\udc00"], ["\\u0000", "🚲"]);
  assert.deepEqual(cells, [
    "a\ufffdb",
    "\ufffd!",
    '{"k\ufffd":"\ufffd"}',
    '["\ufffd"]',
    '["\\\\\\\\u0000","🚲"]',
  ]);
  assert.equal(replaced, 4);
});

test("a table without rows is not mentioned", () => {
  assert.deepEqual([...copyOf("public.t", [], () => {})], []);
});
