import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { snippetsFor } from "../../src/ui/snippets.ts";
import { CLIENT, createWorld, FRONTEND } from "../support/world.ts";
import { openPage, press, sees, seesNoDialog, skip, type } from "./browser.ts";

test("a token is created, shown once, works, and is revoked", { skip }, async (t) => {
  const { url, signedIn } = await openPage(t, createWorld().project("a"));
  const page = await signedIn();
  await page.goto(`${url}/tokens?new=true`);
  await type(page, "Name", "shop");
  await press(page, "button", "Create the token");
  await sees(page, "only once");
  const secret = await page.$eval(".secret pre", (shown) => shown.textContent ?? "");
  await sees(page, `Authorization: "${secret}`);
  const ask = () => fetch(`${url}/api/client/features`, { headers: { authorization: secret } });
  assert.equal((await ask()).status, 200);
  await press(page, "button", "I have copied it");
  assert.equal((await page.content()).includes(secret), false, "it is gone from the page");
  await press(page, "button", "Revoke shop");
  await press(page, "button", "Revoke the token");
  await seesNoDialog(page);
  assert.equal((await ask()).status, 401);
});

test("the sample code for Node.js and curl works", { skip }, async (t) => {
  const world = createWorld()
    .project("a")
    .feature("my-flag", "a", { environments: [{ name: "development", enabled: true }] });
  const { url } = await openPage(t, world);
  const codeFor = (token: string, isFrontend: boolean) => {
    const snippets = snippetsFor({ url, token, feature: "my-flag", isFrontend });
    return Object.fromEntries(snippets.map(({ language, text }) => [language, text]));
  };
  const onServer = codeFor(CLIENT, false);
  const run = async (command: string, ...args: string[]) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
    t.after(() => child.kill());
    const [printed] = await once(child.stdout, "data");
    return String(printed);
  };
  assert.equal(await run(process.execPath, "--input-type=module", "-e", onServer["Node.js"]!), "true\n");
  assert.match(await run("sh", "-c", onServer.curl!), /"value":true/);
  assert.match(await run("sh", "-c", codeFor(FRONTEND, true).curl!), /"value":true/);
});
