import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesWhole } from "../../src/lib/pattern.ts";

test("nested repetition is matched in linear time", () => {
  for (const pattern of ["(a+)+b", "(a|aa)+", "([a-z]+)*-", "(.*)*x"])
    assert.equal(matchesWhole(pattern, `${"a".repeat(5000)}!`), false, pattern);
});

test("a pattern that only backtracking can match ends too", () => {
  assert.equal(matchesWhole("(a+)+(?=b)b", `${"a".repeat(90)}!`), undefined);
  assert.equal(matchesWhole("(a)\\1", "aa"), true);
});

test("every pattern matches as it does in JavaScript", () => {
  const part = fc.constantFrom(
    ...[
      "a",
      "b",
      "-",
      ".",
      "\\d",
      "\\w",
      "\\W",
      "\\b",
      "\\.",
      "\\-",
      "[a-c]",
      "[^a]",
      "[]a]",
      "[^]",
      "[[:alpha:]]",
      "[a\\d]",
    ],
    ...[
      "[\\]b]",
      "[b-]",
      "\\A",
      "\\z",
      "\\Qa",
      "\\pL",
      "\\1",
      "\\x61",
      "\\u0061",
      "(a|b)",
      "(?:a)",
      "(?=a)",
      "(?<n>a)",
      "(?i)a",
    ],
    ...["$", "^", "|", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{", "}", "]", "*?", "++"],
  );
  const pattern = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  const text = fc.array(fc.constantFrom(..."abcL1-.]A:z"), { maxLength: 5 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      const [found, expected] = [matchesWhole(pattern, text), inJavaScript(pattern, text)];
      if (found !== undefined) assert.equal(found, expected); // a busy machine may let it take too long
    }),
    { numRuns: 3000 },
  );
});

function inJavaScript(pattern: string, text: string) {
  try {
    return new RegExp(`^(?:${pattern})$`).test(text);
  } catch {
    return undefined;
  }
}
