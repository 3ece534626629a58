import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { OPERATORS } from "../../src/evaluation/constraint.ts";
import { KINDS } from "../../src/transfer/all-kinds.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { contentsOf, NOT_EXPORTED, tablesOf } from "../support/contents.ts";
import { asChunks, openServer } from "../support/server.ts";
import { everyKey, exported, toText } from "../transfer/examples.ts";
import { empty } from "../transfer/importing.ts";

const document = fs.readFileSync("docs/dataset.md", "utf8");
const rows = document.split("\n");

for (const { name, schema } of KINDS) {
  test(`docs/dataset.md names every key of ${name}, and no other`, () => {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` `));
    assert.ok(row, "it has a row");
    // Keys are the names in backticks before the first word of prose, except for values in parentheses.
    const keys = row
      .split("|")[2]!
      .replaceAll(/\([^)]*\)|;.*$| of (`\w+\??`(, )?)+/g, "")
      .match(/(?<=`)\w+/g)!;
    const entries = Object.keys((schema as unknown as { entries: object }).entries);
    assert.deepEqual(keys.toSorted(), entries.toSorted());
  });
}

test("a dataset of every key fills every table that docs/dataset.md doesn't leave out", async (t) => {
  const db = empty(t);
  await importDataset(db, asChunks(toText(everyKey())));
  const [, list = ""] = /not part of a dataset \(tables? (.+?)\)/s.exec(document) ?? [];
  const left = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  assert.deepEqual(left.toSorted(), NOT_EXPORTED);
  const counts = tablesOf(db).map((table): [string, unknown] => [
    table,
    db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  ]);
  const isWithout = ([table, count]: [string, unknown]) => count === 0 || table === "history_points"; // has where it begins
  const without = counts.filter(isWithout).map(([table]) => table);
  assert.deepEqual(without, NOT_EXPORTED);
});

test("a copy made by export and import has the same rows in every other table", async (t) => {
  const [db, copy] = [empty(t), empty(t)];
  await importDataset(db, asChunks(toText(everyKey())));
  await importDataset(copy, asChunks(exported(db)));
  assert.deepEqual(contentsOf(copy), contentsOf(db));
});

test("docs/dataset.md begins with twelve lines that are a complete dataset without warnings", async (t) => {
  const [, example = ""] = /^```json\n(.+?)^```$/ms.exec(document) ?? [];
  assert.equal(example.trimEnd().split("\n").length, 12);
  const db = empty(t);
  const warnings: string[] = [];
  await importDataset(db, asChunks(example), { onWarning: (_, warning) => warnings.push(warning) });
  assert.deepEqual(warnings, []);
  assert.equal(exported(db).trimEnd().split("\n").length, 12 + 1, "with a seal of the event");
});

test("docs/dataset.md names every operator, and every built-in role", async (t) => {
  const operators = [...document.matchAll(/`((?:IN|NOT_IN|REGEX|[A-Z]+_[A-Z_]+))`/g)].map(([, name]) => name);
  assert.deepEqual(operators.toSorted(), OPERATORS.toSorted());
  const { db } = await openServer(t);
  const roles = db.prepare("SELECT id, name, type FROM roles ORDER BY id").all() as Array<object>;
  const shown = [...document.matchAll(/^\| (\d) +\| (\w+) +\| (\w+) +\|/gm)];
  assert.deepEqual(
    shown.map(([, id, name, type]) => ({ id: Number(id), name, type })),
    roles,
  );
});
