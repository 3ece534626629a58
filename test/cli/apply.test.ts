import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { createWorld } from "../support/world.ts";
import { assertRefused, contentOf, dataFile, runHere } from "./run-cli.ts";

const world = () =>
  createWorld()
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "development", strategies: [{ id: "s", name: "default" }] }],
    })
    .feature("g", "a").lines;

const TEXT = `version: 1
project: a
flags:
  f:
    description: New
    environments:
      development:
        enabled: true
  h: {}
`;

async function start(t: TestContext, text = TEXT) {
  const data = await dataFile(t, world());
  const file = path.join(path.dirname(data), "a.yaml");
  fs.writeFileSync(file, text);
  const run = (...args: string[]) => runHere([...args, "--data", data]);
  return { data, file, run };
}

const PLAN = `~ flag f: description null → "New"
~ flag f, development: enabled false → true
+ flag h
- flag g: (to the archive)
`;

test("diff prints what apply would do, apply does it, and then there is no difference", async (t) => {
  const { file, run } = await start(t);
  const found = await run("diff", file, "--prune");
  assert.deepEqual([found.code, found.stdout], [5, PLAN]);
  assert.equal(found.stderr, "flagstone: 4 differences: run apply to remove them\n");
  const done = await run("apply", file, "--prune");
  assert.deepEqual([done.code, done.stdout], [0, PLAN]);
  assert.match(done.stderr, /4 changes made/);
  assert.deepEqual(await run("diff", file, "--prune"), { code: 0, stdout: "", stderr: "" });
  const json = await run("apply", file, "--prune", "--json");
  assert.deepEqual([json.code, JSON.parse(json.stdout)], [0, { project: "a", changes: [] }]);
});

test("a dry run leaves the file as it is", async (t) => {
  const { data, file, run } = await start(t);
  const before = contentOf(data);
  const { code, stdout, stderr } = await run("apply", file, "--dry-run", "--json");
  assert.deepEqual([code, JSON.parse(stdout).changes.length], [0, 3]);
  assert.match(stderr, /3 changes would be made/);
  assert.equal(contentOf(data), before);
});

test("apply reads the YAML that export writes from standard input, and changes nothing", async (t) => {
  const { data, run } = await start(t);
  const { code, stdout } = await run("export", "--as", "yaml", "--project", "a");
  assert.equal(code, 0);
  const before = contentOf(data);
  const applied = await runHere(["apply", "-", "--prune", "--data", data], { input: stdout });
  assert.deepEqual([applied.code, applied.stdout], [0, ""]);
  assert.equal(contentOf(data), before);
});

test("wrong usage and invalid files", async (t) => {
  const { file, run } = await start(t, "version: 2\nproject: a\n");
  assertRefused(await run("diff", file), 3, `${file}: version must be 1, the only version`);
  assertRefused(await run("apply", "nope.yaml"), 3, "There is no file nope.yaml");
  assertRefused(
    await run("export", "--as", "xml"),
    2,
    "--as: must be dataset, yaml or unleash, not xml",
    " export",
  );
  assertRefused(await run("export", "--as", "yaml"), 2, "--as yaml needs a --project", " export");
  assertRefused(await run("export", "--project", "a"), 2, "--project needs --as yaml", " export");
  const unknown = await run("export", "--as", "yaml", "--project", "nope");
  assertRefused(unknown, 3, "There is no project nope");
});

test("what must be approved is sent to review, in place of what the last text has proposed", async (t) => {
  const { file, run, data } = await start(t, TEXT.replaceAll("development", "production"));
  const db = open(data);
  t.after(() => close(db));
  db.prepare("UPDATE project_environments SET required_approvals = 1 WHERE environment = 'production'").run();
  const first = await run("apply", file, "--prune", "--as-request");
  assert.equal(first.code, 0, first.stderr);
  assert.match(
    first.stderr,
    /change request #1 waits for approval in production: \/projects\/a\/change-requests\/1/,
  );
  const description = db.prepare("SELECT description FROM features WHERE name = 'f'").pluck();
  const isOn = db.prepare("SELECT count(*) FROM feature_environments WHERE enabled").pluck();
  assert.deepEqual([description.get(), isOn.get()], ["New", 0], "what needs no approval is done");
  const again = await run("apply", file, "--prune", "--as-request", "--json");
  assert.deepEqual(JSON.parse(again.stdout).changeRequests, [{ id: 2, environment: "production" }]);
  assert.deepEqual(
    db.prepare("SELECT state, title FROM change_requests ORDER BY id").all(),
    ["Cancelled", "In review"].map((state) => ({ state, title: `flagstone apply ${file}` })),
  );
  assert.deepEqual(
    db.prepare("SELECT feature, action FROM change_request_changes WHERE change_request = 2").raw().all(),
    [
      ["f", "updateEnabled"],
      ["g", "archiveFeature"],
    ],
  );
});
