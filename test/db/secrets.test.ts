import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { decrypt, encrypt, rotateKey, useKeyFile } from "../../src/db/secrets.ts";

function opened(t: TestContext, file = path.join(folderOf(t), "flags.db")) {
  const db = open(file);
  t.after(() => close(db));
  return db;
}

function folderOf(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-secrets-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

test("an encrypted secret can be decrypted only in its own place", (t) => {
  const db = opened(t, IN_MEMORY);
  const stored = encrypt(db, "hush 🤫", "here");
  assert.equal(decrypt(db, stored, "here"), "hush 🤫");
  assert.notEqual(encrypt(db, "hush 🤫", "here"), stored);
  assert.throws(() => decrypt(db, stored, "there"), /was changed/);
  assert.throws(() => decrypt(db, stored.slice(0, -8), "here"), /was changed/);
  assert.equal(decrypt(db, "never encrypted", "here"), "never encrypted");
});

test("the key is stored beside the file, readable only by its owner, and used when the file is reopened", (t) => {
  const db = opened(t);
  assert.ok(!fs.existsSync(`${db.name}.key`), "created on demand");
  const stored = encrypt(db, "hush", "here");
  assert.equal(fs.statSync(`${db.name}.key`).mode & 0o777, 0o600);
  assert.equal(decrypt(opened(t, db.name), stored, "here"), "hush");
});

test("without its key a secret can't be read, and a new key does not change that", (t) => {
  const db = opened(t);
  const stored = encrypt(db, "hush", "here");
  fs.rmSync(`${db.name}.key`);
  const other = opened(t, db.name);
  assert.throws(() => decrypt(other, stored, "here"), /is missing/);
  encrypt(other, "more", "here");
  assert.throws(() => decrypt(other, stored, "here"), /is missing/);
});

test("the operator's key is used, and no key file is created", (t) => {
  const db = opened(t);
  const file = path.join(path.dirname(db.name), "own.key");
  fs.writeFileSync(file, `${Buffer.alloc(32, 7).toString("base64")}\n`);
  useKeyFile(db, file);
  assert.equal(decrypt(db, encrypt(db, "hush", "here"), "here"), "hush");
  assert.ok(!fs.existsSync(`${db.name}.key`));
});

for (const [name, content] of [
  ["empty", ""],
  ["too short", "c2hvcnQ="],
  ["no base64", "ä".repeat(44)],
] as const)
  test(`a key file that is ${name} is refused`, (t) => {
    const db = opened(t);
    const file = path.join(path.dirname(db.name), "own.key");
    fs.writeFileSync(file, content);
    assert.throws(() => useKeyFile(db, file), /must contain one 32-byte key/);
  });

test("another process picks up a rotated key, and the old one is gone", (t) => {
  const db = opened(t);
  const other = opened(t, db.name);
  let stored = encrypt(db, "hush", "here");
  assert.equal(decrypt(other, stored, "here"), "hush");
  const before = fs.readFileSync(`${db.name}.key`, "utf8");
  rotateKey(db, () => {
    stored = encrypt(db, decrypt(db, stored, "here"), "here");
  });
  assert.equal(decrypt(other, stored, "here"), "hush");
  assert.equal(decrypt(db, encrypt(other, "more", "there"), "there"), "more");
  const after = fs.readFileSync(`${db.name}.key`, "utf8");
  assert.ok(!after.includes(before.trim()));
  assert.equal(fs.statSync(`${db.name}.key`).mode & 0o777, 0o600);
});

test("if re-encryption fails, both keys are kept", (t) => {
  const db = opened(t);
  const stored = encrypt(db, "hush", "here");
  assert.throws(() =>
    rotateKey(db, () => {
      throw new Error("disk");
    }),
  );
  assert.equal(decrypt(db, stored, "here"), "hush");
  assert.equal(decrypt(opened(t, db.name), stored, "here"), "hush");
});
