import assert from "node:assert/strict";
import fs from "node:fs";
import { describe, test } from "node:test";
import { COMMANDS } from "../../src/cli/run.ts";
import { runCli } from "./run-cli.ts";

const GOLDEN = new URL("golden/", import.meta.url);

/** Compares with the file of this name, or writes it if UPDATE_GOLDEN is 1. */
function assertGolden(name: string, text: string) {
  const file = new URL(`${name}.txt`, GOLDEN);
  if (process.env.UPDATE_GOLDEN === "1") fs.writeFileSync(file, text);
  assert.equal(text, fs.readFileSync(file, "utf8"), "rewrite it with UPDATE_GOLDEN=1");
}

const goldenName = (words: string) => `help ${words}`.trim().replaceAll(" ", "-");

describe("help", { concurrency: 4 }, () => {
  for (const words of ["", ...COMMANDS.map((command) => command.name)]) {
    test(`of ${words || "everything"} is as reviewed`, async () => {
      const { code, stdout, stderr } = await runCli(["help", ...words.split(" ").filter(Boolean)]);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      assertGolden(goldenName(words), stdout);
    });
  }

  test("is the same by --help and -h, wherever they stand", async () => {
    const [help, own] = await Promise.all([runCli(["--help"]), runCli(["-h"])]);
    assert.deepEqual([help, own], Array(2).fill(await runCli(["help"])));
    const [first, last] = await Promise.all([
      runCli(["token", "create", "--help"]),
      runCli(["token", "create", "ci", "--type", "nonsense", "-h"]),
    ]);
    assert.deepEqual([first, last], Array(2).fill(await runCli(["help", "token", "create"])));
  });
});

test("there is no reviewed help of a command that is gone", () => {
  const expected = ["", ...COMMANDS.map((command) => command.name)].map((name) => `${goldenName(name)}.txt`);
  assert.deepEqual(fs.readdirSync(GOLDEN).toSorted(), expected.toSorted());
});
