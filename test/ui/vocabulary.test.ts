import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { snippetsFor } from "../../src/ui/snippets.ts";
import { CLIENT, createWorld, FRONTEND, personal } from "../support/world.ts";
import { holds, open, openPage, press, pressAt, sees, seesNoDialog, test, type, visit } from "./browser.ts";

test("a context field is created with its values, changed, and deleted", async (t) => {
  const { page, read, request } = await open(t, { at: "/context-fields" });
  await press(page, "button", "New context field");
  await type(page, "Name", "country");
  await press(page, "button", "Add a value");
  await type(page, "Value of value 1", "be");
  await type(page, "Description of value 1", "Belgium");
  await press(page, "button", "Create the context field", "Edit country");
  assert.deepEqual((await read("/context/country")).legalValues, [{ value: "be", description: "Belgium" }]);
  await press(page, "button", "Add a value");
  await type(page, "Value of value 2", "be");
  await press(page, "button", "Save");
  await sees(page, "Must not contain a value twice");
  await type(page, "Value of value 2", "nl");
  await press(page, "button", "Save");
  await sees(page, "be, nl");
  await press(page, "button", "Delete country", "Delete the context field");
  await holds(page, "!document.body.innerText.includes('be, nl')");
  assert.equal((await request("/api/admin/context/country")).status, 404);
});

test("a context field in use shows where, and why it can't be deleted", async (t) => {
  const world = createWorld()
    .project("a")
    .add("contextField", { name: "region" })
    .feature("cart", "a", {
      environments: [
        {
          name: "development",
          strategies: [
            {
              id: "s",
              name: "default",
              constraints: [{ contextName: "region", operator: "IN", values: ["x"] }],
            },
          ],
        },
      ],
    });
  const { page } = await open(t, { world, at: "/context-fields" });
  await pressAt(page, "main td ::-p-text(1 flag in 1 project)");
  await sees(page, "cart", "default in development");
  await press(page, "button", "Close", "Delete region", "Delete the context field");
  await page.waitForSelector("dialog [role=alert]");
});

test("a strategy type is created with its parameters; a tag type is created", async (t) => {
  const { page, request } = await open(t, { at: "/strategy-types" });
  await press(page, "button", "New strategy type");
  await type(page, "Name", "byHour");
  await press(page, "button", "Add a parameter");
  await type(page, "Name of parameter 1", "hours");
  await page.select("select[aria-label='Type of parameter 1']", "list");
  await press(page, "button", "Create the strategy type");
  await page.waitForSelector("[aria-label='Edit byHour']");
  const { body } = await request("/api/admin/strategies/byHour");
  assert.deepEqual(
    body.parameters.map(({ name, type }: { name: string; type: string }) => [name, type]),
    [["hours", "list"]],
  );
  await visit(page, "/tag-types");
  await press(page, "button", "New tag type");
  await type(page, "Name", "team");
  await press(page, "button", "Create the tag type");
  await page.waitForSelector("[aria-label='Edit team']");
});

test("a user without permissions sees no buttons to change context fields, strategy types or tag types", async (t) => {
  const { page, request, url } = await open(t, { as: 3 });
  for (const path of ["context-fields", "strategy-types", "tag-types"]) {
    await page.goto(`${url}/${path}`);
    await page.waitForSelector("main :is(table, .nothing)");
    const labels = await page.$$eval("main button", (all) =>
      all.map((button) => button.getAttribute("aria-label") ?? button.textContent),
    );
    const changing = labels.filter((label) => /^(New|Edit|Delete|Deprecate)/.test(label ?? ""));
    assert.deepEqual(changing, [], path);
  }
  assert.equal((await request("/api/admin/user", { as: personal(3) })).status, 200);
});

test("a token is created, shown once, works, and is revoked", async (t) => {
  const { page, url } = await open(t, { world: createWorld().project("a"), at: "/tokens?new=true" });
  await type(page, "Name", "shop");
  await press(page, "button", "Create the token");
  await sees(page, "only once");
  const secret = await page.$eval(".secret pre", (shown) => shown.textContent ?? "");
  await sees(page, `Authorization: "${secret}`);
  const ask = () => fetch(`${url}/api/client/features`, { headers: { authorization: secret } });
  assert.equal((await ask()).status, 200);
  await press(page, "button", "I have copied it");
  assert.equal((await page.content()).includes(secret), false, "it is gone from the page");
  await press(page, "button", "Revoke shop", "Revoke the token");
  await seesNoDialog(page);
  assert.equal((await ask()).status, 401);
});

test("the question before a token is revoked keeps its secret out of the address", async (t) => {
  const { page } = await open(t, { world: createWorld().project("a"), at: "/projects/a/tokens?new=true" });
  await type(page, "Name", "shop");
  await press(page, "button", "Create the token", "I have copied it");
  for (const address of ["/projects/a/tokens", "/tokens"]) {
    await visit(page, address);
    await press(page, "button", "Revoke shop");
    await sees(page, "Revoke shop?");
    assert.equal(new URL(page.url()).search, "", address);
    await page.keyboard.press("Escape");
    await seesNoDialog(page);
  }
});

test("the sample code for Node.js and curl works", async (t) => {
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
