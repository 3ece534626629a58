import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { networkFileSystem } from "../../src/db/lock.ts";

/** A file system with this number; the kernel may report it as negative. */
const ofType = (type: number) =>
  ((folder: string) => ({ ...fs.statfsSync(folder), type })) as unknown as typeof fs.statfsSync;

test("a network file system is recognized by its number", { skip: process.platform !== "linux" }, () => {
  assert.equal(networkFileSystem("flags.db", ofType(0x6969)), "NFS");
  assert.equal(networkFileSystem("/tmp/flags.db", ofType(0xff534d42)), "CIFS");
  assert.equal(networkFileSystem("/tmp/flags.db", ofType(0xff534d42 | 0)), "CIFS");
  assert.equal(networkFileSystem("/tmp/flags.db", ofType(0xef53)), undefined, "ext4");
});

test("a local file system is not one", () => assert.equal(networkFileSystem("/tmp/flags.db"), undefined));
