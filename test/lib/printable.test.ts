import assert from "node:assert/strict";
import { test } from "node:test";
import { printable } from "../../src/lib/text.ts";

for (const [name, text, shown] of [
  ["letters of any script, and emoji", "Größe 検索 🚦 \\ \"x'", "Größe 検索 🚦 \\ \"x'"],
  ["line ends and tabs", "a\nb\r\tc", "a\\nb\\r\\tc"],
  ["an escape sequence", "\u001b[2J\u0000\u007f", "\\u001b[2J\\u0000\\u007f"],
  ["a single-character escape sequence", "\u009b2J\u0085", "\\u009b2J\\u0085"],
  ["Unicode line ends", "a\u2028b\u2029c", "a\\u2028b\\u2029c"],
  ["right-to-left text", "\u202eexe.gpj\u2066", "\\u202eexe.gpj\\u2066"],
] as const) {
  test(`${name} in data`, () => assert.equal(printable(text), shown));
}
