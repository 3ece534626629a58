import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/run.ts";
import { runCli, runHere } from "./run-cli.ts";

const GOLDEN = new URL("golden/", import.meta.url);

/** Compares with the golden file of this name, or writes it if UPDATE_GOLDEN is 1. */
function assertGolden(name: string, text: string) {
  const file = new URL(`${name}.txt`, GOLDEN);
  if (process.env.UPDATE_GOLDEN === "1") fs.writeFileSync(file, text);
  assert.equal(text, fs.readFileSync(file, "utf8"), "update it with UPDATE_GOLDEN=1");
}

const goldenName = (words: string) => `help ${words}`.trim().replaceAll(" ", "-");

for (const words of ["", ...COMMANDS.map((command) => command.name)]) {
  test(`the help of ${words || "everything"} matches its golden file`, async () => {
    const { code, stdout, stderr } = await runHere(["help", ...words.split(" ").filter(Boolean)]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assertGolden(goldenName(words), stdout);
  });
}

for (const args of [["--help"], ["-h"]]) {
  test(`${args[0]} is the same as help`, async () => {
    assert.deepEqual(await runHere(args), await runHere(["help"]));
  });
}

for (const args of [
  ["token", "create", "--help"],
  ["token", "create", "-h"],
  ["token", "create", "ci", "--type", "nonsense", "--nonsense", "--help"],
]) {
  test(`${args.join(" ")} is the same as help token create`, async () => {
    assert.deepEqual(await runHere(args), await runHere(["help", "token", "create"]));
  });
}

test("help of a group lists its commands", async () => {
  assert.deepEqual(await runHere(["user", "--help"]), await runHere(["help", "user"]));
  const { code, stdout } = await runHere(["help", "user"]);
  assert.equal(code, 0);
  assert.deepEqual(stdout.match(/^ {2}user \w+/gm), [
    "  user create",
    "  user list",
    "  user link",
    "  user reset",
  ]);
});

test("the program prints it too", async () => {
  assert.deepEqual(await runCli(["help"]), await runHere(["help"]));
});

test("there is no golden file for a removed command", () => {
  const expected = ["", ...COMMANDS.map((command) => command.name)].map((name) => `${goldenName(name)}.txt`);
  assert.deepEqual(fs.readdirSync(GOLDEN).toSorted(), expected.toSorted());
});
