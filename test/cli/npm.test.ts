import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createWorld } from "../support/world.ts";
import { assertRefused, dataFile, runHere, temporaryFolder } from "./run-cli.ts";

const START = {
  npm_lifecycle_event: "start",
  npm_lifecycle_script: "node --import ./scripts/preload.mjs src/main.ts",
};

for (const [args, env, message, help] of [
  [
    ["import", "x.jsonl"],
    { ...START, npm_config_dry_run: "true" },
    "npm took --dry-run as its own: run npm start -- import --dry-run …",
    " import",
  ],
  [
    ["export", "all.jsonl", "flags.db"],
    { ...START, npm_config_data: "true", npm_config_with_secrets: "true" },
    "npm took --with-secrets and --data as its own: run npm start -- export --with-secrets --data …",
    " export",
  ],
  [
    ["demo", "4300"],
    { ...START, npm_lifecycle_event: "demo", npm_config_port: "true" },
    "npm took --port as its own: run npm run demo -- --port …",
    " demo",
  ],
  [
    ["import", "x.jsonl", "un.db"],
    START,
    "import does not take the argument un.db; npm takes options as its own unless they follow --: npm start -- import …",
    " import",
  ],
] as const) {
  test(`npm ${env.npm_lifecycle_event} ${args.join(" ")}, with the -- forgotten, prints a hint`, async () => {
    assertRefused(await runHere(args, { env }), 2, message, help);
  });
}

for (const [name, env] of [
  [
    "the executable in an npm script",
    { ...START, npm_lifecycle_script: "flagstone user list", npm_config_json: "true" },
  ],
  ["an option after --", { ...START, npm_config_json: "" }],
  ["an option of another command", { ...START, npm_config_port: "80" }],
  ["an npm setting", { ...START, npm_config_email: "me@example.com", npm_config_ca: "x" }],
] as const) {
  test(`${name} is not taken for a forgotten --`, async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { code, stderr } = await runHere(["user", "list", "--data", data], { env });
    assert.deepEqual([code, stderr], [0, ""]);
  });
}

test("npm start import --dry-run, with the -- forgotten, imports nothing", async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "x.jsonl");
  fs.writeFileSync(file, '{"kind":"dataset","version":1}\n');
  const data = path.join(folder, "flags.db");
  const cwd = path.join(import.meta.dirname, "../..");
  const env = { PATH: process.env.PATH, HOME: folder, FLAGSTONE_DATA: data };
  await assert.rejects(
    promisify(execFile)("npm", ["start", "--silent", "import", "--dry-run", file], { cwd, env }),
    { code: 2, stderr: /^flagstone: npm took --dry-run as its own: / },
  );
  assert.ok(!fs.existsSync(data));
});
