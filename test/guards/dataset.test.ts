import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { KINDS } from "../../src/dataset/kinds.ts";

const rows = fs.readFileSync("DATASET.md", "utf8").split("\n");

for (const { name, schema } of KINDS) {
  test(`DATASET.md names every key of ${name}, and no other`, () => {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` `));
    assert.ok(row, "it has a row");
    // Up to the first word in prose, each name in backticks that is no value in parentheses is a key.
    const keys = row
      .split("|")[2]!
      .replaceAll(/\([^)]*\)|;.*$| of (`\w+\??`(, )?)+/g, "")
      .match(/(?<=`)\w+/g)!;
    const entries = Object.keys((schema as unknown as { entries: object }).entries);
    assert.deepEqual(keys.toSorted(), entries.toSorted());
  });
}
