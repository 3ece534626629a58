import assert from "node:assert/strict";
import fs from "node:fs";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { makeDemo } from "../../src/demo/dataset.ts";
import { applyProject, compareProject } from "../../src/flags-as-text/plan.ts";
import { projectAsYaml, readProjectText } from "../../src/flags-as-text/text.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";

const world = () =>
  createWorld()
    .project("a")
    .add("contextField", { name: "userId" })
    .add("segment", { id: 1, name: "everywhere", constraints: [] })
    .add("segment", { id: 2, name: "ours", project: "a", constraints: [] });

async function start(t: TestContext, given: World = world()) {
  const { db, request } = await openServer(t, given);
  const parsed = (text: string) => readProjectText(`version: 1\nproject: a\n${text}`, "text");
  const options = { prunes: false, isDryRun: false };
  const apply = (text: string, more: Partial<typeof options> = {}) =>
    applyProject(db, parsed(text), { ...options, ...more });
  const diff = (text: string, prunes = false) => compareProject(db, parsed(text), { prunes });
  return { db, request, apply, diff };
}

const ROLLOUT = `
flags:
  f:
    description: Tried out
    environments:
      development:
        enabled: true
        strategies:
          - name: flexibleRollout
            title: Some
            parameters: { rollout: 10 }
            constraints: [{ contextName: userId, operator: IN, values: ["1", "2"] }]
            segments: [ours, everywhere]
`;

test("the content of a text is created, with the same events as by the API, and applying it again changes nothing", async (t) => {
  const { db, request, apply, diff } = await start(t);
  const recorded = watchLog(db);
  const steps = apply(ROLLOUT);
  assert.deepEqual(
    steps.map(({ action, kind }) => `${action} ${kind}`),
    ["add flag", "add strategy", "change state"],
  );
  assertRecorded(recorded(), [
    { type: "feature-created", project: "a", featureName: "f", createdBy: "cli" },
    { type: "feature-strategy-add", environment: "development" },
    { type: "feature-environment-enabled", environment: "development" },
  ]);
  const { body } = await request("/api/admin/projects/a/features/f/environments/development/strategies");
  assert.partialDeepStrictEqual(body, [
    { title: "Some", segments: [1, 2], parameters: { rollout: "10", stickiness: "default", groupId: "f" } },
  ]);
  const again = watchLog(db);
  assert.deepEqual([diff(ROLLOUT), apply(ROLLOUT), again()], [[], [], []]);
});

test("only differences are changed, and omitted keys stay", async (t) => {
  const { db, apply } = await start(t);
  apply(ROLLOUT);
  const recorded = watchLog(db);
  const steps = apply(`
flags:
  f:
    stale: true
    environments:
      development:
        strategies:
          - name: default
          - name: flexibleRollout
            title: Some
            parameters: { rollout: 20 }
            constraints: [{ contextName: userId, operator: IN, values: ["1", "2"] }]
            segments: [everywhere, ours]
`);
  const { from, to } = steps.find(({ action, kind }) => action === "change" && kind === "strategy")!.changes!
    .parameters!;
  assert.partialDeepStrictEqual([from, to], [{ rollout: "10" }, { rollout: "20" }]);
  assertRecorded(recorded(), [
    { type: "feature-metadata-updated", data: { description: "Tried out" } },
    { type: "feature-stale-on" },
    { type: "feature-strategy-add", data: { name: "default" } },
    { type: "feature-strategy-update", data: { title: "Some" } },
    { type: "strategy-order-changed" },
  ] as never);
});

test("a strategy missing from its list is removed, and the flag stays enabled with another one", async (t) => {
  const { db, request, apply } = await start(t);
  apply(ROLLOUT);
  const recorded = watchLog(db);
  apply(
    "flags: { f: { environments: { development: { enabled: true, strategies: [{ name: default }] } } } }",
  );
  assertRecorded(recorded(), [{ type: "feature-strategy-add" }, { type: "feature-strategy-remove" }]);
  const { body } = await request("/api/admin/projects/a/features/f/environments/development");
  assert.equal(body.enabled, true);
});

test("flags and segments not in the text are removed only on request, dependent flags first", async (t) => {
  const { db, apply, diff } = await start(
    t,
    world()
      .feature("parent", "a")
      .feature("child", "a", { dependencies: [{ feature: "parent" }] })
      .feature("kept", "a"),
  );
  const text = "flags: { kept: {} }";
  assert.deepEqual(diff(text), []);
  const recorded = watchLog(db);
  const steps = apply(text, { prunes: true });
  assert.deepEqual(
    steps.map(({ action, kind, name }) => `${action} ${kind} ${name}`),
    ["remove flag child", "remove flag parent", "remove segment ours"],
  );
  assertRecorded(recorded(), [
    { type: "feature-dependencies-removed", featureName: "child" },
    { type: "feature-archived", featureName: "child" },
    { type: "feature-dependencies-removed", featureName: "parent" }, // recorded even without dependencies
    { type: "feature-archived", featureName: "parent" },
    { type: "segment-deleted" },
  ]);
  assert.deepEqual(diff(text, true), []);
});

test("an archived flag in the text is revived", async (t) => {
  const { db, apply, diff } = await start(
    t,
    world().feature("f", "a", {
      archivedAt: "2026-01-02T00:00:00.000Z",
      environments: [{ name: "development", enabled: true, strategies: [{ id: "s", name: "default" }] }],
    }),
  );
  const text = "flags: { f: { type: release, environments: { development: { enabled: true } } } }";
  const recorded = watchLog(db);
  apply(text);
  assertRecorded(recorded(), [{ type: "feature-revived" }, { type: "feature-environment-enabled" }]);
  assert.deepEqual(diff(text), []);
});

test("segments are created and changed before the strategies that use them", async (t) => {
  const { db, apply, diff } = await start(t);
  const text = `
segments:
  ours: { constraints: [{ contextName: userId, operator: IN, values: ["1"] }] }
  new: { description: Just made, constraints: [] }
flags:
  f: { environments: { production: { strategies: [{ name: default, segments: [new] }] } } }
`;
  const recorded = watchLog(db);
  apply(text);
  assertRecorded(recorded(), [
    { type: "segment-updated" },
    { type: "segment-created", project: "a" },
    { type: "feature-created" },
    { type: "feature-strategy-add" },
  ]);
  assert.deepEqual(diff(text), []);
});

test("names of inherited properties are ordinary names", async (t) => {
  const { diff } = await start(t);
  assert.deepEqual(
    diff("flags: { constructor: {}, __proto__: {} }").map(({ name }) => name),
    ["constructor", "__proto__"],
  );
});

const REFUSED: Array<[text: string, message: RegExp]> = [
  ["flags: { f: { colour: red } }", /^text: flags\.f\.colour is not a known key$/],
  ["flags: { f: { stale: 2 } }", /^text: flags\.f\.stale must be true or false/],
  ["flags: { f: {}, f: {} }", /^text: Map keys must be unique at line 4/],
  ["flags: { ? { f: {} } : {} }", /^text: .* keys must be strings at line 4/],
  ["flags: { f: !!js/function {} }", /^text: Unresolved tag/],
  ["flags: {}\n---\nflags: {}", /^text: must contain one document$/],
  ["flags: &f { f: *f }", /^text: flags\.f\.f is not a known key$/],
  [
    `a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nflags: [*c]`,
    /^text: Excessive alias count/,
  ],
  ["flags: [f]", /^text: flags must be an object/],
  ["flags: { f: {}", /^text: .* at line 4/],
  ["flags: { a/b: {} }", /^flag a\/b: body\.name|^flag a\/b: name/],
  ["flags: { f: { type: nope } }", /^flag f: type/],
  ["flags: { f: { environments: { nope: {} } } }", /^flags\.f\.environments: .* no environment nope$/],
  ["flags: { f: { environments: { production: { enabled: true, strategies: [] } } } }", /needs a strategy/],
  [
    "flags: { f: { environments: { production: { strategies: [{ name: default, segments: [nope] }] } } } }",
    /^flag f in production: segments: there is no segment nope$/,
  ],
  [
    "flags: { f: { environments: { production: { strategies: [{ name: nope }] } } } }",
    /^flag f in production: name: there is no strategy type nope$/,
  ],
  ["flags: { elsewhere: {} }", /^flag elsewhere: .*already/],
];

for (const [text, message] of REFUSED) {
  test(`refused, with nothing half done: ${text}`, async (t) => {
    const { db, apply } = await start(t, world().project("b").feature("elsewhere", "b"));
    const recorded = watchLog(db);
    assert.throws(() => apply(`segments: { made: {} }\n${text}`), { message });
    assert.deepEqual(recorded(), []);
    assert.equal(db.prepare("SELECT count(*) AS n FROM segments WHERE name = 'made'").pluck().get(), 0);
  });
}

test("a dry run returns the same and leaves nothing", async (t) => {
  const { db, apply, diff } = await start(t);
  const recorded = watchLog(db);
  assert.deepEqual(apply(ROLLOUT, { isDryRun: true }), diff(ROLLOUT));
  assert.deepEqual(recorded(), []);
  assert.throws(() => apply("flags: { a/b: {} }", { isDryRun: true }));
});

test("the text of a project describes that project", async (t) => {
  const { db } = await openServer(t, {
    ...createWorld(),
    lines: makeDemo(Date.now()).lines as World["lines"],
  });
  const projects = db.prepare<[], string>("SELECT id FROM projects").pluck().all();
  assert.ok(projects.length > 3);
  for (const project of projects) {
    const text = readProjectText(projectAsYaml(db, project), project);
    assert.deepEqual(compareProject(db, text, { prunes: true }), [], project);
  }
});

test("the example in the documentation can be applied", async (t) => {
  const page = fs.readFileSync("docs/flags-as-text.md", "utf8");
  const text = /```yaml\n(.*?)```/s.exec(page)![1]!;
  const { db } = await openServer(
    t,
    createWorld().add("contextField", { name: "userId" }).project("default"),
  );
  const project = readProjectText(text, "the page");
  assert.equal(applyProject(db, project, { prunes: false, isDryRun: false }).length, 6);
  assert.deepEqual(compareProject(db, project, { prunes: true }), []);
});

const Name = fc.constantFrom("f", "g", "h");

const Strategy = fc.record(
  {
    name: fc.constantFrom("default", "flexibleRollout", "userWithId"),
    title: fc.constantFrom("one", "two"),
    disabled: fc.boolean(),
    segments: fc.subarray(["everywhere", "ours"]),
    parameters: fc.dictionary(fc.constantFrom("rollout", "userIds"), fc.constantFrom("1", "2")),
  },
  { requiredKeys: ["name"] },
);

const Environment = fc
  .record({ enabled: fc.boolean(), strategies: fc.array(Strategy, { maxLength: 4 }) }, { requiredKeys: [] })
  .filter(
    ({ enabled, strategies }) => !enabled || !strategies || strategies.some(({ disabled }) => !disabled),
  );

const Flag = fc.record(
  {
    type: fc.constantFrom("release", "experiment"),
    description: fc.constantFrom("x", null),
    stale: fc.boolean(),
    environments: fc.dictionary(fc.constantFrom("development", "production"), Environment),
  },
  { requiredKeys: [] },
);

const Texts = fc.array(fc.tuple(fc.dictionary(Name, Flag), fc.boolean()), { minLength: 1, maxLength: 4 });

/** As JSON, without the null prototype that fast-check gives some objects. */
const asText = (flags: object) => `segments: { ours: {} }\nflags: ${JSON.stringify(flags)}`;

test("whatever its state, a project matches the text after applying it once", async (t) => {
  const { db, apply, diff } = await start(t);
  await fc.assert(
    fc.property(Texts, (texts) => {
      for (const [flags, prunes] of texts) {
        const text = asText(flags);
        const announced = diff(text, prunes);
        assert.deepEqual(apply(text, { prunes }), announced);
        assert.deepEqual(diff(text, prunes), []);
        assertRoundTrip(db);
      }
    }),
    { numRuns: 60 },
  );
});

const assertRoundTrip = (db: Database) =>
  assert.deepEqual(compareProject(db, readProjectText(projectAsYaml(db, "a"), "a"), { prunes: true }), []);
