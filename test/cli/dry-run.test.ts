import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { createWorld } from "../support/world.ts";
import { assertRefused, dataFile, runHere, serveHere, temporaryFolder } from "./run-cli.ts";

const toText = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const HEADER = { kind: "dataset", version: 1 };
const ODD = { kind: "integration", id: 1, provider: "pager" };
const REFUSED = 'the API would reject it: provider: there is no provider "pager"';

/** Every file of the folder with its content. */
const content = (folder: string) =>
  fs.readdirSync(folder).map((name) => [name, fs.readFileSync(path.join(folder, name)).toString("base64")]);

describe("import --dry-run", { concurrency: 4 }, () => {
  test("it prints what would be imported, with warnings, and creates no file", async (t) => {
    const folder = temporaryFolder(t);
    const args = ["import", "-", "--dry-run", "--data", path.join(folder, "flags.db")];
    const input = toText([...createWorld().project("a").feature("f", "a").lines, ODD]);
    const { code, stdout, stderr } = await runHere(args, { input });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^ {8}2 environment\n {8}4 user\n[\s\S]* {8}1 feature\n {8}1 integration\n$/);
    const [warning, summary, end] = stderr.split("\n");
    assert.equal(warning, `line 18: ${REFUSED}`);
    assert.match(summary!, /info {2}no problems: import would store 17 lines$/);
    assert.equal(end, "");
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("errors are reported with their line and an exit code", async (t) => {
    const folder = temporaryFolder(t);
    const args = ["import", "-", "--dry-run", "--data", path.join(folder, "flags.db")];
    const input = toText([HEADER, { kind: "flag" }, { kind: "tagType", name: "x" }, { kind: "tagType" }]);
    const { code, stdout, stderr } = await runHere(args, { input });
    assert.deepEqual([code, stdout], [3, "        1 tagType\n"]);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      'line 2: kind: "flag" is not a known kind',
      "line 4: name: is missing",
      "flagstone: 2 problems: import would store nothing",
    ]);
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("of more than a hundred problems, the first are listed, and the rest counted", async (t) => {
    const args = ["import", "-", "--dry-run", "--data", path.join(temporaryFolder(t), "flags.db")];
    const input = toText([HEADER, ...Array(102).fill({ kind: "flag" })]);
    const lines = (await runHere(args, { input })).stderr.trimEnd().split("\n");
    assert.deepEqual(lines.slice(-2), [
      "… and 2 more",
      "flagstone: 102 problems: import would store nothing",
    ]);
    assert.equal(lines.length, 102);
  });

  test("as JSON, it prints one object on standard output", async (t) => {
    const args = ["import", "-", "--dry-run", "--json", "--data", path.join(temporaryFolder(t), "flags.db")];
    const { code, stdout, stderr } = await runHere(args, { input: toText([HEADER, { kind: "flag" }, ODD]) });
    assert.deepEqual(JSON.parse(stdout), {
      counts: { integration: 1 },
      problems: { count: 1, first: [{ line: 2, message: 'kind: "flag" is not a known kind' }] },
      warnings: { count: 1, first: [{ line: 3, message: 'provider: there is no provider "pager"' }] },
    });
    assert.deepEqual([code, stderr], [3, "flagstone: 1 problem: import would store nothing\n"]);
  });

  test("an existing file is not modified, and neither is an empty one", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const folder = path.dirname(data);
    fs.writeFileSync(path.join(folder, "empty.db"), "");
    const before = content(folder);
    const input = toText(createWorld().project("a").lines);
    const onFull = await runHere(["import", "-", "--dry-run", "--data", data], { input });
    assert.equal(
      onFull.stderr,
      'line 2: environment: already exists: name "development"; if the file has data already, import into a new one, or ' +
        "replace everything\nflagstone: 1 problem: import would store nothing\n",
    );
    const onEmpty = await runHere(["import", "-", "--dry-run", "--data", path.join(folder, "empty.db")], {
      input,
    });
    assert.equal(onEmpty.code, 0, onEmpty.stderr);
    assert.deepEqual(content(folder), before);
  });

  test("an older file is not migrated", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const db = new Sqlite(data);
    db.exec(fs.readFileSync(new URL("../db/schema-1.sql", import.meta.url), "utf8"));
    db.pragma("application_id = 0x464c4147");
    db.pragma("user_version = 1");
    db.close();
    const before = content(path.dirname(data));
    const result = await runHere(["import", "-", "--dry-run", "--data", data], { input: toText([HEADER]) });
    const advice = "and opening it would upgrade it: copy it, and try with --data COPY";
    assertRefused(result, 3, `${data} is from an older version, ${advice}`);
    assert.deepEqual(content(path.dirname(data)), before);
  });

  test("it works while the file is served", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    await serveHere(t, ["serve", "--data", data]);
    const input = toText([HEADER, { kind: "tagType", name: "new" }]);
    const { code, stdout } = await runHere(["import", "-", "--dry-run", "--data", data], { input });
    assert.deepEqual([code, stdout], [0, "        1 tagType\n"]);
  });

  test("a missing folder, or a folder as the file, is refused as by an import", async (t) => {
    const folder = temporaryFolder(t);
    for (const [data, words] of [
      [path.join(folder, "no", "flags.db"), /^flagstone: The folder \S+ does not exist/],
      [folder, /^flagstone: \S+ is a folder/],
    ] as const) {
      const { code, stderr } = await runHere(["import", "-", "--dry-run", "--data", data], { input: "" });
      assert.equal(code, 3);
      assert.match(stderr, words);
    }
  });

  test("a real import names the warnings in one line, and how often there are", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const exploded = {
      kind: "event",
      createdAt: "2026-01-01T00:00:00Z",
      type: "flag-exploded",
      createdBy: "x",
    };
    const input = toText([HEADER, ODD, exploded, exploded]);
    const { code, stderr } = await runHere(["import", "-", "--data", data], { input });
    assert.equal(code, 0);
    const [, warning, end] = stderr.split("\n");
    assert.match(
      warning!,
      /warn {2}the API would reject 3 values in it: provider: .+ "pager"; type: "flag-exploded" is not .+ \(2 times\); import --dry-run .+$/,
    );
    assert.equal(end, "");
  });
});
