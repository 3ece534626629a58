import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import Sqlite from "better-sqlite3";
import { DataError } from "../../src/db/error.ts";
import { close, open } from "../../src/db/open.ts";
import { importLines } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const PAGE = 4096;

function temporaryFile(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-db-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return path.join(folder, "flags.db");
}

/** A closed data file with a hundred events and no unused page. */
async function usedFile(t: TestContext) {
  const file = temporaryFile(t);
  const world = createWorld().project("a");
  for (let count = 0; count < 100; count++) world.event({ project: "a", data: { text: `word ${count}` } });
  const db = open(file);
  await importLines(db, world.lines);
  db.exec("VACUUM");
  close(db);
  return file;
}

const refused = (file: string, message: string, options?: { mustExist: boolean }) =>
  assert.throws(
    () => close(open(file, options)),
    (error) => {
      assert.ok(error instanceof DataError, String(error));
      assert.equal(error.message, message);
      return true;
    },
  );

const damaged = (file: string) => `${file} is damaged: restore a backup, or name another file with --data`;
const notADatabase = (file: string) => `${file} is not a database: name another file with --data`;
const foreign = (file: string) =>
  `${file} is another program's SQLite database: name another file with --data`;

test("a missing file is created", (t) => {
  const file = temporaryFile(t);
  close(open(file));
  assert.ok(fs.statSync(file).size > 0);
});

test("an opened file is in WAL mode, synchronous, with foreign keys and a busy timeout", (t) => {
  const db = open(temporaryFile(t));
  t.after(() => close(db));
  const pragmas = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout"];
  const FULL = 2;
  assert.deepEqual(
    pragmas.map((name) => db.pragma(name, { simple: true })),
    ["wal", FULL, 1, 5000],
  );
});

test("truncating a file under a reader causes an error, not a crash", async (t) => {
  const file = await usedFile(t);
  const db = open(file);
  t.after(() => db.close());
  db.pragma("cache_size = 0"); // cached pages would not be read from the file
  fs.truncateSync(file, PAGE);
  assert.throws(() => db.prepare("SELECT sum(length(wire)) FROM events").get(), {
    code: /SQLITE_(CORRUPT|IOERR)/,
  });
  assert.equal(db.pragma("mmap_size", { simple: true }), 0);
});

test("the file itself rejects dangling references", (t) => {
  const db = open(temporaryFile(t));
  t.after(() => close(db));
  const insert = () =>
    db.exec("INSERT INTO project_environments (project, environment) VALUES ('nope', 'nope')");
  assert.throws(insert, { code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
});

test("a reopened file has its content, also if it must exist", async (t) => {
  const file = await usedFile(t);
  const db = open(file, { mustExist: true });
  t.after(() => close(db));
  assert.equal(db.prepare("SELECT count(*) FROM events").pluck().get(), 100);
});

test("a closed file has no sidecar files", async (t) => {
  const file = await usedFile(t);
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["flags.db"]);
  const db = open(file);
  db.exec("DELETE FROM events");
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["flags.db", "flags.db-shm", "flags.db-wal"]);
  close(db);
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["flags.db"]);
});

test("closing twice is the same as closing once", (t) => {
  const db = open(temporaryFile(t));
  close(db);
  close(db);
  assert.equal(db.open, false);
});

test("commits that were not checkpointed are there after a crash", async (t) => {
  const file = await usedFile(t);
  const db = open(file);
  db.exec("DELETE FROM events WHERE id > 10");
  const copy = path.join(path.dirname(file), "copy.db");
  for (const suffix of ["", "-wal"]) fs.copyFileSync(file + suffix, copy + suffix);
  close(db);
  const survivor = open(copy);
  t.after(() => close(survivor));
  assert.equal(survivor.prepare("SELECT count(*) FROM events").pluck().get(), 10);
});

/** A file in use, and a second connection to it in the middle of a write. */
async function writtenFile(t: TestContext) {
  const file = await usedFile(t);
  const writer = new Sqlite(file);
  t.after(() => writer.close());
  const lock = () => writer.exec("BEGIN IMMEDIATE");
  const unlock = () => writer.exec("ROLLBACK");
  return { file, lock, unlock };
}

test("a file that another process is writing to can be opened and read", async (t) => {
  const { file, lock, unlock } = await writtenFile(t);
  lock();
  const db = open(file);
  t.after(() => close(db));
  assert.equal(db.prepare("SELECT count(*) FROM events").pluck().get(), 100);
  unlock();
});

test("a file that another process is writing to can be closed", async (t) => {
  const { file, lock, unlock } = await writtenFile(t);
  const db = open(file);
  t.after(() => db.close());
  db.pragma("busy_timeout = 10");
  lock();
  close(db);
  assert.equal(db.open, false);
  unlock();
});

test("an empty file is the same as a new one", (t) => {
  const file = temporaryFile(t);
  fs.writeFileSync(file, "", { mode: 0o644 });
  const db = open(file, { mustExist: true });
  t.after(() => close(db));
  assert.equal(db.prepare("SELECT count(*) FROM roles").pluck().get(), 5);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
});

test("a missing file that must exist is refused and not created", (t) => {
  const file = temporaryFile(t);
  refused(file, `There is no file ${file}: name the data file with --data`, { mustExist: true });
  assert.deepEqual(fs.readdirSync(path.dirname(file)), []);
});

test("a folder is refused", (t) => {
  const folder = path.dirname(temporaryFile(t));
  refused(folder, `${folder} is a folder: name a file with --data`);
});

test("a file in a missing folder is refused, and the folder not created", (t) => {
  const folder = path.join(path.dirname(temporaryFile(t)), "missing");
  refused(
    path.join(folder, "flags.db"),
    `The folder ${folder} does not exist: create it, or name another file with --data`,
  );
  assert.equal(fs.existsSync(folder), false);
});

test("a path below a file is refused", (t) => {
  const file = temporaryFile(t);
  fs.writeFileSync(file, "");
  const below = path.join(file, "flags.db");
  refused(below, `${below} can't be opened: check that you can read and write it and its folder`);
});

for (const [name, bytes] of [
  ["a short text file", Buffer.from("hello\n")],
  ["a long text file", Buffer.from("hello\n".repeat(5000))],
  ["a file of random bytes", Buffer.from(Array.from({ length: 3 * PAGE }, (_, at) => (at * 7919) % 251))],
  ["a file of zeros", Buffer.alloc(2 * PAGE)],
] as const) {
  test(`${name} is refused and left unchanged`, (t) => {
    const file = temporaryFile(t);
    fs.writeFileSync(file, bytes);
    refused(file, notADatabase(file));
    assert.deepEqual(fs.readFileSync(file), bytes);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ["flags.db"]);
  });
}

for (const [name, sql] of [
  ["another program's database", "CREATE TABLE things (name TEXT)"],
  ["another program's database without tables", "PRAGMA application_id = 77"],
  ["another program's database with only a version", "PRAGMA user_version = 1"],
] as const) {
  test(`${name} is refused and left unchanged`, (t) => {
    const file = temporaryFile(t);
    const other = new Sqlite(file);
    other.exec(sql);
    other.close();
    const before = fs.readFileSync(file);
    refused(file, foreign(file));
    assert.deepEqual(fs.readFileSync(file), before);
  });
}

test("a file of a newer version is refused, named, and left unchanged", async (t) => {
  const file = await usedFile(t);
  const db = new Sqlite(file);
  db.pragma("user_version = 9999");
  db.close();
  const before = fs.readFileSync(file);
  assert.throws(() => open(file), /newer Flagstone \(schema 9999, this one knows \d+\): .*export/);
  assert.throws(() => open(file), DataError);
  assert.deepEqual(fs.readFileSync(file), before);
});

test("a file truncated anywhere is refused", async (t) => {
  const file = await usedFile(t);
  const whole = fs.readFileSync(file);
  for (const length of [512, PAGE - 1, PAGE, PAGE + 1, Math.floor(whole.length / 2), whole.length - PAGE]) {
    fs.writeFileSync(file, whole.subarray(0, length));
    refused(file, damaged(file));
  }
});

test("a file with garbage in any page is refused", async (t) => {
  const file = await usedFile(t);
  const whole = fs.readFileSync(file);
  const count = whole.length / PAGE;
  assert.ok(count > 50, `${count} pages`);
  for (let page = 1; page < count; page++) {
    const bytes = Buffer.from(whole);
    bytes.fill(0xa5, page * PAGE, (page + 1) * PAGE);
    fs.writeFileSync(file, bytes);
    refused(file, damaged(file));
  }
});

test("a file with a wrong byte in its header is refused with a clear message, or harmless", async (t) => {
  const file = await usedFile(t);
  const whole = fs.readFileSync(file);
  const surprises: string[] = [];
  for (let at = 0; at < 100; at++) {
    const bytes = Buffer.from(whole);
    bytes[at] = bytes[at]! ^ 0xff;
    fs.writeFileSync(file, bytes);
    try {
      close(open(file));
    } catch (error) {
      if (!(error instanceof DataError)) surprises.push(`byte ${at}: ${error}`);
    }
  }
  assert.deepEqual(surprises, []);
});

// Root can write regardless of the mode.
const isRoot = process.getuid?.() === 0;
const skip = isRoot ? "root writes read-only files too" : process.platform === "win32";

test("a read-only file is refused", { skip }, async (t) => {
  const file = await usedFile(t);
  fs.chmodSync(file, 0o444);
  refused(
    file,
    `${file} can't be read and written: change its permissions, or name another file with --data`,
  );
});

test("an unreadable file is refused", { skip }, async (t) => {
  const file = await usedFile(t);
  fs.chmodSync(file, 0o000);
  refused(
    file,
    `${file} can't be read and written: change its permissions, or name another file with --data`,
  );
});
