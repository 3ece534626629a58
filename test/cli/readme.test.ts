import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { startServer, temporaryFolder } from "./run-cli.ts";

/*
 * The README's tour of an empty file, as copied and pasted by a user.
 */

const run = promisify(execFile);
const skip = ["bash", "curl"].some((command) => spawnSync(command, ["--version"]).error !== undefined);

const README = fs.readFileSync("README.md", "utf8");
const BLOCKS = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);
const blockWith = (text: string) => BLOCKS.find((block) => block.includes(text))!;

const [, SECRET] = /FLAGSTONE_ADMIN_TOKEN=(\S+) npm start/.exec(README)!;

/** The responses of a new server when these blocks are pasted line by line. */
async function typed(t: TestContext, ...texts: string[]) {
  const folder = temporaryFolder(t);
  fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const { url } = await startServer(t, ["serve", "--data", path.join(folder, "flags.db")], {
    env: { FLAGSTONE_ADMIN_TOKEN: SECRET! },
  });
  const script = texts.map(blockWith).join("").replaceAll("http://127.0.0.1:4242", url);
  const { stdout } = await run("bash", ["-c", script.replaceAll(/^npm start .*$/gm, "")], { cwd: folder });
  return {
    url,
    lines: stdout
      .replaceAll("}{", "}\n{")
      .split("\n")
      .filter((line) => line !== ""),
  };
}

test("the README's tour creates a flag, and users with the access that their roles grant", {
  skip,
}, async (t) => {
  const { url, lines } = await typed(t, "ask() {", "SECRET=$(", "nina() {");
  const answers = lines.map((line) => JSON.parse(line));
  const named = (name: string) => answers.findLast((one) => one.name === name);
  assert.equal(named("first-flag").environments[0].enabled, true);
  assert.equal(answers.find((one) => one.key === "first-flag").value, true);
  assert.deepEqual(answers.find((one) => one.permissions && one.user).permissions, [
    { project: "shop", environment: "development", permission: "UPDATE_FEATURE_ENVIRONMENT" },
  ]);
  assert.equal(answers.filter((one) => one.name === "NoAccessError").length, 1, "in production");
  const { secret } = answers.find((one) => one.description === "laptop");
  const seen = await fetch(`${url}/api/admin/projects/shop/features`, {
    headers: { authorization: secret },
  });
  const { features } = (await seen.json()) as {
    features: Array<{ environments: Array<{ name: string; enabled: boolean }> }>;
  };
  assert.deepEqual(
    features[0]!.environments.map(({ name, enabled }) => [name, enabled]),
    [
      ["development", true],
      ["production", false],
    ],
  );
});

test("the README's application notices a change, and its usage is reported", { skip }, async (t) => {
  const { lines } = await typed(t, "ask() {", "SECRET=$(", "shop.mjs");
  const seen = lines.filter((line) => line === "true" || line === "false");
  assert.deepEqual([...new Set(seen)], ["true", "false"]);
  const { lastHourUsage, seenApplications } = JSON.parse(lines.at(-1)!);
  assert.deepEqual(seenApplications, ["shop"]);
  assert.ok(lastHourUsage.some(({ yes, no }: { yes: number; no: number }) => yes + no > 0));
});
