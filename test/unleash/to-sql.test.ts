import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { importLines as importThings } from "../../src/transfer/import.ts";
import { dumpLines } from "../../src/unleash/from-dump.ts";
import type { Left } from "../../src/unleash/outgoing-lines.ts";
import { exportSql } from "../../src/unleash/to-sql.ts";
import { asChunks, importLines } from "../support/server.ts";
import { CLIENT, createWorld, personal } from "../support/world.ts";
import { company, everyKey, type Line } from "../transfer/examples.ts";
import { empty, lines } from "../transfer/importing.ts";
import { UNLEASH_COLUMNS } from "./unleash-columns.ts";

/** The rows of each table, by their columns, and what is left out. */
async function exported(t: TestContext, lines: readonly Line[], { withSecrets = true } = {}) {
  const db = empty(t);
  await importLines(db, lines);
  let left: Left[] = [];
  const text = [...exportSql(db, { withSecrets, onEnd: (all) => (left = all) })].join("");
  const tables = new Map(
    [...text.matchAll(/^COPY (?:public\.)?(\w+) \(([^)]*)\) FROM stdin;\n(.*?)^\\\.$/gms)].map(
      ([, table, columns, data]) => [table!, rowsOf(columns!.split(", "), data!)],
    ),
  );
  const leftOf = (kind: string) => left.filter((one) => one.kind === kind);
  return { text, rows: (table: string) => tables.get(table) ?? [], leftOf };
}

const rowsOf = (columns: readonly string[], data: string) =>
  data
    .split("\n")
    .slice(0, -1)
    .map((line) => Object.fromEntries(line.split("\t").map((cell, index) => [columns[index]!, cell])));

const world = () => createWorld().project("a").feature("f", "a");

test("the same rows give the same text", async (t) => {
  assert.equal((await exported(t, everyKey())).text, (await exported(t, everyKey())).text);
});

test("only columns are written that Unleash has in all versions", async (t) => {
  const { text } = await exported(t, everyKey());
  const headers = [...text.matchAll(/^COPY public\.(\w+) \((.*)\) FROM stdin;$/gm)];
  assert.equal(headers.length, Object.keys(UNLEASH_COLUMNS).length, "all tables have rows");
  for (const [, table, columns] of headers) {
    const known = UNLEASH_COLUMNS[table!]!.split(" ");
    assert.deepEqual(
      columns!.split(", ").filter((column) => !known.includes(column)),
      [],
      table,
    );
  }
});

test("what a table can't take is counted with a reason", async (t) => {
  const { leftOf } = await exported(t, everyKey());
  const counts = [
    "invitation",
    "notification",
    "notificationMute",
    "event",
    "deletedPrivateProject",
    "value",
  ];
  assert.deepEqual(
    counts.map((kind) => leftOf(kind).reduce((sum, { count }) => sum + count, 0)),
    [1, 4, 2, 2, 1, 2],
  );
});

test("a token is carried along with its secret, or listed to be made anew", async (t) => {
  const lines: Line[] = world().lines.map((line) =>
    line.type === "client" ? { ...line, secret: CLIENT } : line,
  );
  const { rows, leftOf, text } = await exported(t, lines);
  assert.deepEqual(
    rows("api_tokens").map(({ secret, environment }) => [secret, environment]),
    [[CLIENT, "development"]],
  );
  assert.ok(leftOf("token")[0]!.names.includes("the frontend token (frontend)"));
  assert.ok(!text.includes(personal(1)));
  const masked = await exported(t, lines, { withSecrets: false });
  assert.deepEqual(masked.rows("api_tokens"), []);
});

test("a token of projects that are gone does not become one of all projects", async (t) => {
  const token = (projects: string[]) =>
    world().lines.map((line) => (line.type === "client" ? { ...line, secret: CLIENT, projects } : line));
  const gone = await exported(t, token(["sunk"]));
  assert.deepEqual(gone.rows("api_tokens"), []);
  const partly = await exported(t, token(["sunk", "a"]));
  assert.deepEqual(partly.rows("api_token_project"), [{ secret: CLIENT, project: "a" }]);
});

test("an integration without its secrets, or paused, is disabled", async (t) => {
  const { lines } = world()
    .integration({ parameters: { url: "https://x.example" } })
    .integration({ parameters: { url: "https://x.example" }, paused: true });
  const enabled = async (withSecrets: boolean) =>
    (await exported(t, lines, { withSecrets })).rows("addons").map((row) => row.enabled);
  assert.deepEqual(await enabled(true), ["true", "false"]);
  assert.deepEqual(await enabled(false), ["false", "false"]);
});

test("a password is carried along if Unleash can check it", async (t) => {
  const bcrypt = `$2b$10$${"x".repeat(53)}`;
  const { lines } = world().user({ passwordHash: bcrypt }).user({ passwordHash: "scrypt$1$2$3" });
  const { rows } = await exported(t, lines);
  assert.deepEqual(
    rows("users").map((row) => row.password_hash),
    ["\\N", "\\N", "\\N", "\\N", bcrypt, "\\N"],
  );
});

test("a flag has a state in exactly the environments of its project", async (t) => {
  const strategies = [{ id: "hidden", name: "default" }];
  const { lines } = createWorld()
    .project("a", { environments: ["production"] })
    .feature("f", "a", { environments: [{ name: "development", enabled: true, strategies }] });
  const { rows } = await exported(t, lines);
  assert.deepEqual(
    rows("feature_environments").map(({ environment, enabled }) => [environment, enabled]),
    [["production", "false"]],
  );
  assert.deepEqual(rows("feature_strategies"), []);
});

test("a flag that is off because its parent is missing stays off", async (t) => {
  const environments = [{ name: "development", enabled: true, strategies: [{ name: "default" }] }];
  const { lines } = world().feature("child", "a", { environments, dependencies: [{ feature: "gone" }] });
  const { rows, leftOf } = await exported(t, lines);
  const isOn = rows("feature_environments").some(
    ({ feature_name, enabled }) => feature_name === "child" && enabled === "true",
  );
  assert.equal(isOn, false);
  assert.deepEqual(rows("dependent_features"), []);
  assert.deepEqual(leftOf("feature")[0]!.names, ["child"]);
});

test("strategies keep their order where Unleash needs whole numbers", async (t) => {
  const strategies = [
    { id: "second", name: "default", sortOrder: 0.5 },
    { id: "first", name: "default", sortOrder: 0.25 },
  ];
  const { lines } = world().feature("g", "a", { environments: [{ name: "development", strategies }] });
  const { rows } = await exported(t, lines);
  assert.deepEqual(
    rows("feature_strategies").map(({ id, sort_order }) => [id, sort_order]),
    [
      ["first", "0"],
      ["second", "1"],
    ],
  );
});

test("ids go on after the last ones that were given, and events keep theirs", async (t) => {
  const { text, rows } = await exported(t, everyKey());
  assert.match(
    text,
    /setval\(pg_get_serial_sequence\('public.segments', 'id'\), GREATEST\(max\(id\), 8\) \+ 1, false\)/,
  );
  assert.deepEqual(
    rows("events").map(({ id, announced }) => [id, announced]),
    [["3", "true"]],
  );
});

test("a permission of another version exists before a role has it", async (t) => {
  const role = { id: 6, name: "R", type: "custom", permissions: [{ name: "IT'S_NEW" }] };
  const { text } = await exported(t, world().add("role", role).lines);
  assert.ok(text.indexOf("INSERT INTO public.permissions") < text.indexOf("COPY public.role_permission"));
  assert.match(text, /WHERE permission = 'IT''S_NEW'/);
});

/** Kinds of lines that are the same after going out and coming in, without PostgreSQL between. */
const SAME =
  /^{"kind":"(role|project|projectRole|tagType|tag|segment|strategyType|event|integrationEvent|application|instance|usage)"/;

test("what goes out can be read again", async (t) => {
  const [db, again] = [empty(t), empty(t)];
  await importLines(db, company());
  const text = [...exportSql(db, { withSecrets: true, onEnd: () => {} })].join("");
  const counts = await importThings(
    again,
    dumpLines(asChunks(text), () => {}),
  );
  const kept = (one: Database) =>
    lines(one)
      .filter((line) => SAME.test(line))
      .sort();
  assert.deepEqual(kept(again), kept(db));
  const rootRoles = (one: Database) => one.prepare("SELECT id, root_role FROM users ORDER BY id").raw().all();
  assert.deepEqual(rootRoles(again), rootRoles(db));
  assert.equal(counts.feature, lines(db).filter((line) => line.startsWith('{"kind":"feature"')).length);
});
