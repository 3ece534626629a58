import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createWorld, personal } from "../support/world.ts";
import { dumpOf, TABLES } from "../unleash/dumps.ts";
import { openSource } from "../unleash/source.ts";
import { serveHere, temporaryFolder } from "./run-cli.ts";

/*
 * The walks of the README and of docs, as copied and pasted by a user.
 */

const run = promisify(execFile);
const skip = ["bash", "curl"].some((command) => spawnSync(command, ["--version"]).error !== undefined);

const README = fs.readFileSync("README.md", "utf8");

/** The block of a page that contains this text. */
function block(page: string, text: string): string {
  const blocks = fs.readFileSync(page, "utf8").matchAll(/^```sh\n(.*?)^```$/gms);
  const found = [...blocks].map(([, content]) => content!).find((content) => content.includes(text));
  assert.ok(found, `${page} has a block with ${text}`);
  return found;
}

const ASK = block("README.md", "ask() {");
const APPLICATION = block("README.md", "SECRET=$(");

const [, SECRET] = /FLAGSTONE_ADMIN_TOKEN=(\S+) npm start/.exec(README)!;

/** The lines that are printed when these blocks are pasted line by line. */
async function pasted(cwd: string, url: string, ...blocks: string[]) {
  const script = blocks.join("").replaceAll("http://127.0.0.1:4242", url);
  const { stdout } = await run("bash", ["-c", script], { cwd });
  return stdout
    .replaceAll("}{", "}\n{")
    .split("\n")
    .filter((line) => line !== "");
}

/** The same beside a new server. */
async function typed(t: TestContext, ...blocks: string[]) {
  const folder = temporaryFolder(t);
  fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const { url } = await serveHere(t, ["serve", "--data", path.join(folder, "flags.db")], {
    env: { FLAGSTONE_ADMIN_TOKEN: SECRET! },
  });
  return { url, lines: await pasted(folder, url, ...blocks) };
}

test("the README's flag is created, turned on, and evaluated for an application", { skip }, async (t) => {
  const { lines } = await typed(t, ASK, APPLICATION);
  const answers = lines.map((line) => JSON.parse(line));
  assert.equal(answers.findLast((one) => one.name === "first-flag").environments[0].enabled, true);
  assert.equal(answers.find((one) => one.key === "first-flag").value, true);
});

test("the README's application notices a change, and its usage is reported", { skip }, async (t) => {
  const { lines } = await typed(t, ASK, APPLICATION, block("README.md", "shop.mjs"));
  const seen = lines.filter((line) => line === "true" || line === "false");
  assert.deepEqual([...new Set(seen)], ["true", "false"]);
  const { lastHourUsage, seenApplications } = JSON.parse(lines.at(-1)!);
  assert.deepEqual(seenApplications, ["shop"]);
  assert.ok(lastHourUsage.some(({ yes, no }: { yes: number; no: number }) => yes + no > 0));
});

test("docs/operating.md: people have the access that their roles grant", { skip }, async (t) => {
  const { url, lines } = await typed(t, ASK, block("docs/operating.md", "nina() {"));
  const answers = lines.map((line) => JSON.parse(line));
  const granted = [{ project: "shop", environment: "development", permission: "UPDATE_FEATURE_ENVIRONMENT" }];
  assert.deepEqual(answers.find((one) => one.permissions && one.user).permissions, granted);
  assert.equal(answers.filter((one) => one.name === "NoAccessError").length, 1, "in production");
  const { secret } = answers.find((one) => one.description === "laptop");
  const seen = await fetch(`${url}/api/admin/projects/shop/features`, { headers: { authorization: secret } });
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

test("docs/integrations.md: the demo's inbox shows a delivery, its retries, and a repetition", {
  skip,
}, async (t) => {
  const { url, token } = await serveHere(t, ["demo"]);
  const walk = block("docs/integrations.md", "TOKEN=user:…").replace(/^TOKEN=.*$/m, `TOKEN=${token}`);
  const answers = (await pasted(temporaryFolder(t), url, walk)).map((line) => JSON.parse(line));
  const states = answers
    .filter((one) => one.integrationEvents)
    .map((one) => one.integrationEvents.map(({ state }: { state: string }) => state));
  assert.deepEqual(states[0], ["success"]);
  assert.equal(states[1][0], "failed");
  const { received } = answers.at(-1);
  assert.equal(new Set(received.map(({ body }: { body: unknown }) => JSON.stringify(body))).size, 2);
  assert.ok(received.length > 2, "one of them again");
});

/** Defines a command of this name that is the program. */
const program = (name: string) =>
  `${name}() { '${process.execPath}' --import '${path.resolve("scripts/preload.mjs")}' '${path.resolve("src/main.ts")}' "$@"; }\n`;

test("docs/dataset.md: the demo is exported, tried, and imported into a file of its own", {
  skip,
}, async (t) => {
  const folder = temporaryFolder(t);
  const walk = block("docs/dataset.md", "--dry-run backup.jsonl").replace(/^npm start -- --data .*$/m, "");
  const { stdout } = await run("bash", ["-ec", program("start") + walk.replaceAll("npm start --", "start")], {
    cwd: folder,
  });
  assert.match(stdout, /^user:[0-9a-f]{56}$/m);
  assert.match(stdout, /^payment-redesign +\S+ +checkout +/m);
});

test("docs/migrating.md: an Unleash's dump is tried, and imported", { skip }, async (t) => {
  const folder = temporaryFolder(t);
  fs.writeFileSync(path.join(folder, "dump"), dumpOf(TABLES));
  const walk = block("docs/migrating.md", "--from-unleash unleash.sql").replace(/^flagstone serve .*$/m, "");
  const { stdout } = await run("bash", ["-ec", `${program("flagstone")}pg_dump() { cat dump; }\n${walk}`], {
    cwd: folder,
  });
  assert.match(stdout, /^ +1 feature$/m);
  assert.match(stdout, /^ +1 roles: built in here too$/m);
  assert.match(stdout, /^1 +admin +/m);
});

test("docs/migrating.md: the file of an offline proxy fills a new file", { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const features = [{ name: "cart", enabled: true, strategies: [] }];
  fs.writeFileSync(path.join(folder, "features.json"), JSON.stringify({ version: 2, features }));
  const walk = block("docs/migrating.md", "features.json");
  const { stdout } = await run("bash", ["-ec", program("flagstone") + walk], { cwd: folder });
  assert.match(stdout, /^cart +\S+ +default +/m);
});

/** The walks of moving in through an API, from a server of a test. */
const walkFrom = (url: string, text: string) =>
  program("flagstone") +
  block("docs/migrating.md", text)
    .replace("'*:*.…'", personal(1))
    .replaceAll("https://unleash.example.com", url)
    .replace(/^flagstone serve .*$/m, "");

test("docs/migrating.md: what an API tells is tried, copied, and someone gets a link for a new password", {
  skip,
}, async (t) => {
  const { url } = await openSource(t, createWorld().project("shop").feature("cart", "shop"));
  const { stdout, stderr } = await run("bash", ["-ec", walkFrom(url, "flagstone user link")], {
    cwd: temporaryFolder(t),
  });
  assert.match(stdout, /^ +1 feature$/m);
  assert.match(stdout, /^all that http\S+ says it has came: /m);
  assert.match(stdout, /\/auth\/link\/[0-9a-f]{64}$/m);
  assert.match(stderr, /no problems: pull would store/);
});

test("docs/migrating.md: a copy stays fresh", { skip }, async (t) => {
  const source = await openSource(t, createWorld().project("shop"));
  const script = walkFrom(source.url, "--watch")
    .replace("flagstone pull", `export FLAGSTONE_TOKEN=${personal(1)}\nflagstone pull`)
    .replace("--watch", "--watch --interval 1");
  const child = spawn("bash", ["-ec", script], { cwd: temporaryFolder(t), detached: true });
  t.after(() => process.kill(-child.pid!, "SIGKILL"));
  let isFilled = false;
  for await (const line of createInterface(child.stderr)) {
    if (line.includes("left out") && !isFilled) {
      isFilled = true;
      await source.request("/api/admin/projects/shop/features", { method: "POST", body: { name: "cart" } });
    }
    if (line.includes("copied what has changed")) break;
  }
  assert.ok(isFilled);
});

test("the incident of docs/history.md is found and taken back in the demo", { skip }, async (t) => {
  const { url, output } = await serveHere(t, ["demo"]);
  const [token] = /user:[0-9a-f]+/.exec(output.stdout)!;
  const root = path.resolve(".");
  const [preload, main] = ["scripts/preload.mjs", "src/main.ts"].map((file) => path.join(root, file));
  const flagstone = `flagstone() { "${process.execPath}" --import "${preload}" "${main}" "$@"; }\n`;
  const walk = block("docs/history.md", "What happened in production?").replace(
    "FLAGSTONE_TOKEN=…",
    `FLAGSTONE_TOKEN=${token}`,
  );
  const lines = await pasted(root, url, flagstone, walk);
  const [before, after] = lines
    .join("\n")
    .matchAll(/"rollout":"(\d+)","stickiness":"default","groupId":"payment-redesign"\}\}\]/g);
  assert.match(lines.join("\n"), /farid@bikes\.example updated the strategy .*\(rollout from 10% to 100%\)/);
  assert.deepEqual([before![1], after![1]], ["10", "100"], "who gets it then, and now");
  assert.match(lines.at(-1)!, /\(rollout from 100% to 10%\) .*\(undoing event \d+\)$/);
});
