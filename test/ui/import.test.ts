import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "puppeteer-core";
import { temporaryFolder } from "../cli/run-cli.ts";
import { createWorld, personal } from "../support/world.ts";
import { toText } from "../transfer/examples.ts";
import { dumpOf, TABLES } from "../unleash/dumps.ts";
import { openSource } from "../unleash/source.ts";
import { holds, isAt, open, press, pressText, sees, test, type } from "./browser.ts";

const DUMP = dumpOf(TABLES);

/** The view, on a server with a file. `fileOf` writes one to import. */
async function openImport(t: TestContext) {
  const folder = temporaryFolder(t);
  const opened = await open(t, { file: path.join(folder, "flags.db"), at: "/import" });
  const fileOf = (name: string, content: string | Buffer) => {
    fs.writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  return { ...opened, fileOf };
}

async function choose(page: Page, file: string) {
  const input = await page.waitForSelector("input[type=file]");
  await (input as Awaited<ReturnType<typeof page.$<"input">>>)!.uploadFile(file);
}

/** Drops a file on the field. */
async function drop(page: Page, file: string) {
  const input = await page.waitForSelector("input[type=file]");
  const { x, y } = await input!.clickablePoint();
  const client = await page.createCDPSession();
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await client.send("Input.dispatchDragEvent", { type, x, y, data });
  await client.detach();
  await holds(page, "document.querySelector('input[type=file]').files.length === 1");
}

async function chooseServer(page: Page, url: string, token = personal(1)) {
  await page.select("select[name=from]", "server");
  await type(page, "Address", url);
  await type(page, "Token", token);
}

const flagsIn = ({ db }: Pick<Awaited<ReturnType<typeof open>>, "db">) =>
  db.prepare("SELECT name FROM features ORDER BY name").pluck().all();

test("a dataset is checked, and what is in it is added", async (t) => {
  const { page, read, fileOf } = await openImport(t);
  const lines = [
    { kind: "dataset", version: 1 },
    { kind: "tagType", name: "team" },
    { kind: "contextField", name: "country" },
  ];
  await choose(page, fileOf("team.jsonl", toText(lines)));
  await press(page, "button", "Check");
  await sees(page, "No problems: 2 things would be imported.", "context field");
  assert.ok(!JSON.stringify(await read("/tag-types")).includes("team"), "nothing is stored yet");
  await press(page, "button", "Import");
  await sees(page, "Imported 2 things");
  await holds(page, "document.activeElement.innerText === 'Imported 2 things'");
  assert.ok(JSON.stringify(await read("/tag-types")).includes("team"));
  await press(page, "link", "All projects");
  await isAt(page, "/projects");
});

test("the dump of an Unleash replaces everything here, after which everybody signs in again", async (t) => {
  const { page, fileOf, ...opened } = await openImport(t);
  await drop(page, fileOf("unleash.sql.gz", gzipSync(DUMP)));
  await press(page, "button", "Check");
  await sees(
    page,
    "1 problem: nothing can be imported.",
    "already exists",
    "What stays behind",
    "built in here too",
  );
  assert.equal(await page.$("button.danger"), null);
  await pressText(page, "Replace everything here");
  await sees(page, "Take a backup first");
  await press(page, "button", "Check");
  await sees(page, "No problems: ");
  await press(page, "button", "Replace everything");
  await sees(page, "Imported ", "flagstone user link");
  assert.deepEqual(flagsIn(opened), ["cart"]);
  await press(page, "link", "Sign in");
  await sees(page, "Username or e-mail address");
});

test("a dump that was cut short is a problem with its place, and can't be imported", async (t) => {
  const { page, fileOf } = await openImport(t);
  await choose(page, fileOf("cut.sql", DUMP.slice(0, DUMP.indexOf("\tflexibleRollout"))));
  await press(page, "button", "Check");
  await sees(page, "1 problem: nothing can be imported.", "table feature_strategies, row 1", "cut short");
  assert.equal(await page.$("::-p-aria([role='button'][name='Import'])"), null);
  await choose(page, fileOf("other.sql", "hello"));
  await holds(page, "!document.body.innerText.includes('cut short')");
  await press(page, "button", "Check");
  await sees(page, "1 problem: nothing can be imported.");
});

test("what another server has is imported", async (t) => {
  const { page, ...opened } = await openImport(t);
  const { url } = await openSource(t, createWorld().project("shop").feature("cart", "shop"));
  await chooseServer(page, url, "*:*.unknown");
  await press(page, "button", "Check");
  await sees(page, "1 problem: nothing can be imported.", "401");
  await type(page, "Token", personal(1));
  await press(page, "button", "Check");
  await sees(page, "already exists", "passwords");
  await pressText(page, "Replace everything here");
  await press(page, "button", "Check", "Replace everything");
  await sees(page, "Imported ");
  assert.deepEqual(flagsIn(opened), ["cart"]);
});

/** The view, while it waits for a server that stops answering. `left` resolves once nobody waits for it any more. */
async function openWaiting(t: TestContext) {
  const opened = await openImport(t);
  const source = await openSource(t);
  const left = Promise.withResolvers<void>();
  source.interfere = ({ url }, response) => {
    const isHeld = url!.endsWith("/environments");
    if (isHeld) response.on("close", left.resolve);
    return isHeld;
  };
  await chooseServer(opened.page, source.url);
  await press(opened.page, "button", "Check");
  await opened.page.waitForSelector("progress");
  await sees(opened.page, "the server: ", " of 5");
  return { ...opened, left: left.promise };
}

test("an import shows how far it is, and is cancelled", async (t) => {
  const { page, left } = await openWaiting(t);
  await press(page, "button", "Cancel");
  await sees(page, "Cancelled: nothing was imported");
  await left;
  assert.equal(await page.$("progress"), null);
});

test("leaving the view asks first, and then cancels", async (t) => {
  const { page, left } = await openWaiting(t);
  await press(page, "link", "Projects");
  await sees(page, "Discard what you typed?");
  await press(page, "button", "Discard");
  await isAt(page, "/projects");
  await left;
});

test("only administrators can import", async (t) => {
  const { page } = await open(t, { as: 3, at: "/import" });
  await sees(page, "Only administrators can import.");
  assert.equal(await page.$("input[type=file], nav a[href='/import']"), null);
});

test("a server without a file says so", async (t) => {
  const { page } = await open(t, { at: "/import" });
  await page.select("select[name=from]", "server");
  await chooseServer(page, "http://127.0.0.1:1");
  await press(page, "button", "Check");
  await sees(page, "This server has no data file to import into");
});
