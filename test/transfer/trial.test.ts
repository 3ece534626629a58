import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { datasetLines } from "../../src/dataset/text.ts";
import { tryLines } from "../../src/transfer/import.ts";
import { asChunks, importLines } from "../support/server.ts";
import { company, EVENT, everyKey, exported, HEADER, line, TIME, toText } from "./examples.ts";
import { empty } from "./importing.ts";

/** The result of a dry run of a text, on a database that must not change. */
async function trial(t: TestContext, text: string, given: readonly object[] = []) {
  const db = empty(t);
  if (given.length > 0) await importLines(db, given);
  const before = exported(db);
  const found = await tryLines(db, datasetLines(asChunks(text)));
  assert.equal(db.inTransaction, false);
  assert.equal(exported(db), before, "nothing is stored");
  assert.equal(db.prepare("SELECT count(*) FROM event_totals").pluck().get(), given.length > 0 ? 3 : 0);
  return found;
}

const NOTHING = { count: 0, first: [] };

test("a dry run of a valid dataset counts the new lines of each kind", async (t) => {
  const { counts, problems } = await trial(t, toText(company()));
  assert.deepEqual(counts, await importLines(empty(t), company()));
  assert.deepEqual(problems, NOTHING);
});

const ADVICE = "if the file has data already, import into a new one, or replace everything";

test("a dry run reports all errors with their lines, and counts the valid lines", async (t) => {
  const text = [
    ...toText(everyKey()).trimEnd().split("\n"),
    "",
    "{",
    '{"kind":"tagType","nome":"x","icon":1}',
    '{"kind":"tagType","name":"good"}',
    '{"kind":"flag"}',
    '{"kind":"feature","name":"f","project":"no"}',
    '{"kind":"feature","name":"f","project":"a"}',
    '{"kind":"tagType","name":"good"}',
    JSON.stringify({ ...EVENT, id: 3, createdAt: TIME }),
  ];
  const { counts, problems } = await trial(t, text.join("\n"));
  const at = everyKey().length + 2;
  assert.deepEqual(problems, {
    count: 8,
    first: [
      [at, "is not valid JSON"],
      [at + 1, "name: is missing"],
      [at + 1, "icon: must be text, not 1"],
      [at + 1, "nome: is not a known key"],
      [at + 3, 'kind: "flag" is not a known kind'],
      [at + 4, 'project: no project "no" before it'],
      [at + 6, `tagType: already exists: name "good"; ${ADVICE}`],
      [at + 7, `event: already exists: id 3; ${ADVICE}`],
    ].map(([line, message]) => ({ line, message })),
  });
  assert.deepEqual([counts.tagType, counts.feature, counts.event], [2, 3, 3]);
});

test("a dry run checks against existing data", async (t) => {
  const { problems } = await trial(t, toText([HEADER, { kind: "tagType", name: "simple" }]), everyKey());
  assert.equal(problems.count, 1);
  assert.match(problems.first[0]!.message, /^tagType: already exists: name "simple";/);
});

test("a dry run on a new file treats its initial content as replaced", async (t) => {
  assert.deepEqual((await trial(t, toText(everyKey()))).problems, NOTHING);
});

test("a dry run lists the first hundred errors and warnings", async (t) => {
  const bad = Array.from({ length: 150 }, () => ({ kind: "flag" }));
  const odd = Array.from({ length: 130 }, (_, index) => line("integration", { id: index + 9 }));
  const { problems, warnings } = await trial(t, toText([HEADER, ...bad, ...odd]));
  assert.deepEqual([problems.count, problems.first.length], [150, 100]);
  assert.partialDeepStrictEqual(problems.first[99], { line: 101 });
  assert.deepEqual([warnings.count, warnings.first.length], [130, 100]);
  assert.deepEqual(warnings.first[0], { line: 152, message: "parameters.url: is required by webhook" });
});

for (const [name, text, message] of [
  ["nothing", "", "the file is empty"],
  [
    "another format",
    '{"f":{"enabled":true}}',
    "these are flags as a simple map of an offline proxy: flagstone run",
  ],
  [
    "a dataset without a first line",
    '{"kind":"tagType","name":"x"}\n',
    "kind: the first line must be of the kind dataset",
  ],
] as const) {
  test(`a dry run of ${name} says so`, async (t) => {
    const { problems } = await trial(t, text);
    assert.equal(problems.count, 1);
    assert.ok(problems.first[0]!.message.startsWith(message), problems.first[0]!.message);
  });
}

test("a dry run stops at invalid UTF-8", async (t) => {
  const db = empty(t);
  const bytes = Buffer.concat([
    Buffer.from(toText([HEADER])),
    Buffer.from([0xff, 0x0a]),
    Buffer.from("{}\n"),
  ]);
  const { problems } = await tryLines(db, datasetLines(asChunks(bytes)));
  assert.deepEqual(problems.first, [{ line: 2, message: "is not valid UTF-8" }]);
});

test("a dry run can be cancelled", async (t) => {
  const db = empty(t);
  const stop = () => {
    throw new Error("enough");
  };
  await assert.rejects(
    tryLines(db, datasetLines(asChunks(toText([HEADER]))), { onProgress: stop }),
    /^Error: enough$/,
  );
  assert.equal(db.inTransaction, false);
});
