import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import Sqlite from "better-sqlite3";
import schema from "../../schema.sql";
import { restore } from "../../src/db/backup.ts";
import type { Database } from "../../src/db/database.ts";
import { DataError } from "../../src/db/error.ts";
import { lockForServing } from "../../src/db/lock.ts";
import { APPLICATION_ID, migrate, SCHEMA_VERSION } from "../../src/db/migrations.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { type Notification, newestNotifications } from "../../src/log/notifications.ts";

/** The schema of version 1, as released; it never changes. */
const FIRST = fs.readFileSync(new URL("schema-1.sql", import.meta.url), "utf8");

function first(t: TestContext): Database {
  const db = new Sqlite(IN_MEMORY);
  t.after(() => db.close());
  db.exec(FIRST);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma("user_version = 1");
  return db;
}

function fresh(t: TestContext): Database {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  return db;
}

const withoutSpaces = (sql: string | null) =>
  sql
    ?.replace(/--[^\n]*/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),;]) ?/g, "$1")
    .trim();

const rows = (db: Database, sql: string, ...bind: unknown[]) =>
  db.prepare<unknown[], Record<string, unknown>>(sql).all(...bind);

/** The complete structure, as SQLite reports it. */
function describe(db: Database) {
  const things = rows(
    db,
    `SELECT type, name, tbl_name, sql FROM sqlite_schema
     WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name`,
  );
  const tables = things.filter(({ type }) => type === "table" || type === "view").map(({ name }) => name);
  const indexes = tables.flatMap((table) =>
    rows(db, `SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY name`, table),
  );
  return {
    things: things.map((thing) => ({ ...thing, sql: withoutSpaces(thing.sql as string | null) })),
    columns: tables.map((table) => [table, rows(db, "SELECT * FROM pragma_table_xinfo(?)", table)]),
    references: tables.map((table) => [
      table,
      rows(
        db,
        `SELECT "table", "from", "to", on_update, on_delete, "match", seq FROM pragma_foreign_key_list(?)
         ORDER BY "table", "from", seq`,
        table,
      ),
    ]),
    indexes: indexes.map((index) => [index, rows(db, "SELECT * FROM pragma_index_xinfo(?)", index.name)]),
  };
}

/** The rows of a new file. */
const BUILT_IN = ["roles", "role_permissions", "feature_types", "strategy_types"];
const builtIn = (db: Database) => BUILT_IN.map((table) => rows(db, `SELECT * FROM ${table} ORDER BY 1, 2`));

test("the first version with all migrations has the current schema", (t) => {
  const old = first(t);
  migrate(old);
  const migrated = describe(old);
  const today = describe(fresh(t));
  assert.ok(today.things.length > 50 && today.indexes.length > 20 && today.columns.length > 20);
  for (const part of Object.keys(today) as Array<keyof typeof today>)
    assert.deepEqual(migrated[part], today[part], part);
});

test("the first version with all migrations has the rows of a new file", (t) => {
  const old = first(t);
  migrate(old);
  assert.deepEqual(builtIn(old), builtIn(fresh(t)));
});

test("a new database has the current version and our application id", (t) => {
  const db = fresh(t);
  assert.equal(db.pragma("user_version", { simple: true }), SCHEMA_VERSION);
  assert.equal(db.pragma("application_id", { simple: true }), APPLICATION_ID);
});

test("a migrated database has the current version and is intact", (t) => {
  const db = first(t);
  migrate(db);
  assert.equal(db.pragma("user_version", { simple: true }), SCHEMA_VERSION);
  assert.deepEqual(db.pragma("foreign_key_check"), []);
  assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
});

test("a file of version 1 gets the built-in types of flags and strategies, and keeps its content", (t) => {
  const file = oldFile(t);
  const db = open(file);
  t.after(() => close(db));
  assert.deepEqual(
    rows(db, "SELECT id, lifetime_days AS days FROM feature_types ORDER BY sort_order").map(Object.values),
    [
      ["release", 40],
      ["experiment", 40],
      ["operational", 7],
      ["kill-switch", null],
      ["permission", null],
    ],
  );
  assert.deepEqual(
    rows(
      db,
      `SELECT strategy_types.name, group_concat(json_extract(value, '$.name')), deprecated
       FROM strategy_types LEFT JOIN json_each(parameters) GROUP BY 1 ORDER BY sort_order`,
    ).map(Object.values),
    [
      ["flexibleRollout", "rollout,stickiness,groupId", 0],
      ["default", null, 0],
      ["userWithId", "userIds", 1],
      ["remoteAddress", "IPs", 0],
      ["applicationHostname", "hostNames", 0],
    ],
  );
  assert.deepEqual(rows(db, "SELECT name FROM environments"), [{ name: "moon" }]);
  assert.deepEqual(rows(db, "SELECT id FROM projects"), []);
});

test("a file of version 1 keeps its tags, context fields and segments", (t) => {
  const db = first(t);
  db.pragma("foreign_keys = ON");
  db.exec(`
    INSERT INTO environments (name, type) VALUES ('moon', 'test');
    INSERT INTO projects (id, name, created_at) VALUES ('a', 'A', 'then');
    INSERT INTO tag_types (name) VALUES ('simple');
    INSERT INTO context_fields (name, legal_values) VALUES ('plan', '[{"value":"x"}]');
    INSERT INTO segments (id, name, created_at) VALUES (3, 'beta', 'then');
    INSERT INTO features (name, project, created_at) VALUES ('f', 'a', 'then'), ('g', 'a', 'then');
    INSERT INTO feature_tags (feature, type, value) VALUES ('f', 'simple', 'red'), ('g', 'simple', 'red');
    INSERT INTO feature_environments (feature, environment) VALUES ('f', 'moon');
    INSERT INTO strategies (id, feature, environment, name, sort_order, constraints)
      VALUES ('s', 'f', 'moon', 'default', 0, '[{"contextName":"plan"},{"contextName":"plan"}]');
    INSERT INTO strategy_segments (strategy, segment) VALUES ('s', 3);
  `);
  migrate(db);
  const values = (sql: string) => rows(db, sql).map(Object.values);
  assert.deepEqual(values("SELECT type, value FROM tags"), [["simple", "red"]]);
  assert.deepEqual(values("SELECT feature, value FROM feature_tags"), [
    ["f", "red"],
    ["g", "red"],
  ]);
  const [[legalValues, createdAt] = []] = values("SELECT legal_values, created_at FROM context_fields");
  assert.equal(legalValues, '[{"value":"x"}]');
  assert.match(String(createdAt), /^\d{4}-.*Z$/);
  assert.deepEqual(values("SELECT id, name FROM segments"), [[3, "beta"]]);
  assert.deepEqual(values("SELECT strategy, segment FROM strategy_segments"), [["s", 3]]);
  assert.deepEqual(values("SELECT context_field, strategy FROM strategy_context_fields"), [["plan", "s"]]);
  assert.deepEqual(db.pragma("foreign_key_check"), []);
});

test("flags get the text that searches look at, and when they were last used", (t) => {
  const db = first(t);
  db.exec(`
    INSERT INTO environments (name, type) VALUES ('moon', 'test'), ('mars', 'test');
    INSERT INTO projects (id, name, created_at) VALUES ('a', 'A', 'then');
    INSERT INTO features (name, project, description, created_at)
    VALUES ('f', 'a', 'Straße', 'then'), ('g', 'a', NULL, 'then');
    INSERT INTO feature_environments (feature, environment, last_seen_at)
    VALUES ('f', 'moon', '2026-01-02'), ('f', 'mars', '2026-01-03'), ('g', 'moon', NULL);
  `);
  migrate(db);
  assert.deepEqual(rows(db, "SELECT folded, seen_at FROM features ORDER BY name").map(Object.values), [
    ["FaSTRASSE", "2026-01-03"],
    ["Ga", null],
  ]);
});

test("the last editor of an integration is taken from the log", (t) => {
  const db = first(t);
  db.exec(`
    INSERT INTO integrations (id, provider, created_at) VALUES (1, 'webhook', 'then'), (2, 'webhook', 'then');
    INSERT INTO events (type, wire) VALUES
      ('addon-config-created', '{"createdByUserId":3,"data":{"id":1}}'),
      ('addon-config-updated', '{"createdByUserId":4,"data":{"id":1}}'),
      ('addon-config-deleted', '{"createdByUserId":5,"data":{"id":2}}');
  `);
  migrate(db);
  const editors = rows(db, "SELECT edited_by_user_id AS editor FROM integrations ORDER BY id");
  assert.deepEqual(editors, [{ editor: 4 }, { editor: null }]);
});

test("who signs in elsewhere was made so, unless the log knows who created them", (t) => {
  const db = new Sqlite(IN_MEMORY);
  t.after(() => db.close());
  db.exec(schema.replace(/,\s+-- The way to sign in.*\s+made_by.*/, ""));
  const created = (id: number, createdBy: string) =>
    `('user-created', '{"createdBy":"${createdBy}","data":{"id":${id}}}')`;
  db.exec(`
    INSERT INTO users (id, created_at) VALUES (1, 'then'), (2, 'then'), (3, 'then'), (4, 'then'), (5, 'then');
    INSERT INTO identities (issuer, subject, user_id) VALUES ('https://id.example', 'a', 1),
      ('https://id.example', 'b', 2), ('proxy', 'b', 2), ('proxy', 'c', 3), ('proxy', 'd', 4);
    INSERT INTO events (type, wire) VALUES ${created(1, "admin")}, ${created(2, "unleash_system_user")}`);
  db.pragma("user_version = 6");
  migrate(db);
  const made = rows(db, "SELECT made_by FROM users ORDER BY id").map(({ made_by }) => made_by);
  assert.deepEqual(made, [null, "oidc", "proxy", "proxy", null]);
  assert.deepEqual(describe(db).things, describe(fresh(t)).things);
});

const RELEASED = [1, 2, 3, 4];

/** Makes a file of version 1 one of another version, by the steps that were released; they never change. */
function bringTo(db: Database, version: number) {
  for (let next = 2; next <= version; next++)
    db.exec(fs.readFileSync(new URL(`released/${next}.sql`, import.meta.url), "utf8"));
  db.pragma(`user_version = ${version}`);
}

/** Without what the steps change. */
const unfilled = (found: ReadonlyArray<Record<string, unknown>>) =>
  found.map(({ potentially_stale: _, edited_by_user_id: __, ...row }) => row);

for (const version of RELEASED) {
  test(`a file of version ${version} gets the current schema, and keeps all of its rows`, (t) => {
    const db = first(t);
    bringTo(db, version);
    db.exec(`
      INSERT INTO environments (name, type) VALUES ('moon', 'test');
      INSERT INTO projects (id, name, created_at) VALUES ('a', 'A', 'then');
      INSERT INTO features (name, project, created_at) VALUES ('f', 'a', 'then');
      INSERT INTO feature_environments (feature, environment) VALUES ('f', 'moon');
      INSERT INTO strategies (id, feature, environment, name, sort_order) VALUES ('s', 'f', 'moon', 'default', 0);
      INSERT INTO users (id, root_role, created_at) VALUES (3, 3, 'then');
      INSERT INTO groups (id, name, created_at) VALUES (1, 'all', 'then');
      INSERT INTO group_users (group_id, user_id) VALUES (1, 3);
      INSERT INTO events (id, type, wire) VALUES (5, 'made', '{"a":1}'), (6, 'made', '{"b":2}');
      INSERT INTO integrations (id, provider, created_at) VALUES (2, 'webhook', 'then');
      INSERT INTO integration_events (integration_id, event_id, created_at, state, state_details)
        VALUES (2, 5, 'then', 'success', '')`);
    const tables = rows(db, "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'")
      .map(({ name }) => String(name))
      .filter((name) => !name.startsWith("sqlite_") && name !== "role_permissions");
    const contents = () =>
      new Map(tables.map((name) => [name, rows(db, `SELECT * FROM ${name} ORDER BY 1`)]));
    const before = contents();
    migrate(db);
    assert.deepEqual(describe(db).things, describe(fresh(t)).things);
    assert.deepEqual(db.pragma("foreign_key_check"), []);
    assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
    assert.equal(db.pragma("foreign_keys", { simple: true }), 1);
    for (const [name, found] of contents())
      assert.partialDeepStrictEqual(found, unfilled(before.get(name)!), name);
  });

  test(`a file of version ${version} keeps who was notified, and what they have read`, (t) => {
    const db = first(t);
    bringTo(db, version);
    db.exec(`
      INSERT INTO users (id, root_role, created_at) VALUES (3, 3, 'then'), (4, 3, 'then');
      INSERT INTO notifications (id, message, link, type, created_by_user_id, created_at)
      VALUES (1, 'read', '/', 'toggle', 1, '2026-01-01'), (2, 'unread', '/', 'toggle', 1, '2026-01-02');
      INSERT INTO notification_recipients (user_id, created_at, notification_id, read_at)
      VALUES (3, '2026-01-01', 1, '2026-01-03'), (3, '2026-01-02', 2, NULL)`);
    migrate(db);
    assert.deepEqual(describe(db).things, describe(fresh(t)).things);
    const read = (userId: number) =>
      (newestNotifications(db, userId, []) as Notification[]).map(({ message, readAt }) => [message, readAt]);
    assert.deepEqual(read(3), [
      ["unread", null],
      ["read", "2026-01-03"],
    ]);
    assert.deepEqual(read(4), []);
  });
}

test("migrating twice changes nothing", (t) => {
  const db = first(t);
  migrate(db);
  const before = [describe(db), db.pragma("schema_version", { simple: true })];
  migrate(db);
  assert.deepEqual([describe(db), db.pragma("schema_version", { simple: true })], before);
});

/** A file of the first version with an event in it. */
function oldFile(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-migrations-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, "flags.db");
  const db = new Sqlite(file);
  db.exec(FIRST);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma("user_version = 1");
  db.exec("INSERT INTO environments (name, type) VALUES ('moon', 'test')");
  db.close();
  return file;
}

const withColour = schema.replace(/CREATE TABLE (environments|users) \(/g, "$& colour TEXT,");
/** Version 3 of a program whose environments and users have a colour. */
const LATER = {
  schema: `${withColour}; CREATE TABLE more (id INTEGER) STRICT;`,
  steps: ["", "UPDATE environments SET colour = 'of ' || (SELECT type FROM old_environments)"],
};

test("an older file is copied aside before its migration", (t) => {
  const file = oldFile(t);
  const db = new Sqlite(file);
  t.after(() => db.close());
  db.exec("INSERT INTO users (id, created_at) VALUES (7, 'then'); DELETE FROM users");
  migrate(db, LATER);
  assert.equal(db.pragma("user_version", { simple: true }), 3);
  assert.deepEqual(rows(db, "SELECT seq FROM sqlite_sequence WHERE name = 'users'"), [{ seq: 7 }]);
  assert.deepEqual(rows(db, "SELECT colour FROM environments WHERE name = 'moon'"), [{ colour: "of test" }]);
  const aside = new Sqlite(`${file}.before-schema-3`, { readonly: true });
  t.after(() => aside.close());
  assert.equal(aside.pragma("user_version", { simple: true }), 1);
  assert.equal(rows(aside, "SELECT * FROM environments WHERE name = 'moon'").length, 1);
  assert.deepEqual(fs.readdirSync(path.dirname(file)).sort(), ["flags.db", "flags.db.before-schema-3"]);
});

test("a backup of an older version is migrated when restored, and nothing is left beside it", (t) => {
  const backup = oldFile(t);
  const folder = path.dirname(backup);
  const data = path.join(folder, "data.db");
  restore(backup, data, { now: new Date(), pid: process.pid });
  assert.deepEqual(fs.readdirSync(folder).sort(), ["data.db", "flags.db"]);
  const db = new Sqlite(data, { readonly: true });
  t.after(() => db.close());
  assert.equal(db.pragma("user_version", { simple: true }), SCHEMA_VERSION);
});

test("a migration that fails half-way leaves the file to the version that wrote it, with an error", (t) => {
  const file = oldFile(t);
  const db = new Sqlite(file);
  t.after(() => db.close());
  const before = describe(db);
  for (let time = 0; time < 2; time++) {
    assert.throws(
      () => migrate(db, { ...LATER, steps: ["", "CREATE TABLE environments (id INTEGER)"] }),
      (error) => {
        assert.ok(error instanceof DataError);
        assert.match(error.message, /flags\.db can't be upgraded from schema 1 to 3 and is unchanged/);
        assert.ok(!/environments/.test(error.message), "no SQL");
        return true;
      },
    );
    assert.deepEqual(describe(db), before);
    assert.equal(db.pragma("user_version", { simple: true }), 1);
  }
});

test("an upgrade that is broken off in its last step leaves the file as it was", (t) => {
  const file = oldFile(t);
  const db = new Sqlite(file);
  t.after(() => db.close());
  const before = describe(db);
  const steps = ["", "", "", "INSERT INTO notification_reads VALUES (1, 1, NULL)"];
  assert.throws(() => migrate(db, { schema, steps }), DataError);
  assert.deepEqual(describe(db), before);
  migrate(db);
  assert.equal(db.pragma("user_version", { simple: true }), SCHEMA_VERSION);
});

test("a command of version 0.2.0 that has the file open can still notify users", (t) => {
  const file = oldFile(t);
  const [older, db] = [new Sqlite(file), new Sqlite(file)];
  t.after(() => [older, db].map((connection) => connection.close()));
  bringTo(db, 4);
  older.exec("INSERT INTO users (id, root_role, created_at) VALUES (3, 3, 'then')");
  migrate(db);
  older.exec(`
    INSERT INTO notifications (message, link, type, created_by_user_id, created_at)
    VALUES ('late', '/', 'toggle', 1, 'then');
    INSERT INTO notification_recipients (user_id, created_at, notification_id) VALUES (3, 'then', 1)`);
  const [found] = newestNotifications(db, 3, []) as Notification[];
  assert.equal(found?.message, "late");
});

test("a file is not migrated while a server of the older version uses it", (t) => {
  const file = oldFile(t);
  const unlock = lockForServing(file, 77);
  t.after(unlock);
  const db = new Sqlite(file);
  t.after(() => db.close());
  assert.throws(() => migrate(db, LATER), /is already in use by a server, process 77/);
  assert.equal(db.pragma("user_version", { simple: true }), 1);
});
