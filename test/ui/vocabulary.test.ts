import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, personal } from "../support/world.ts";
import { holds, openPage, press, pressAt, sees, skip, type } from "./browser.ts";

test("a context field is created with its values, changed, and deleted", { skip }, async (t) => {
  const { request, url, signedIn } = await openPage(t);
  const read = async () => (await request("/api/admin/context/country")).body;
  const page = await signedIn();
  await page.goto(`${url}/context-fields`);
  await press(page, "button", "New context field");
  await type(page, "Name", "country");
  await press(page, "button", "Add a value");
  await type(page, "Value of value 1", "be");
  await type(page, "Description of value 1", "Belgium");
  await press(page, "button", "Create the context field");
  await press(page, "button", "Edit country");
  assert.deepEqual((await read()).legalValues, [{ value: "be", description: "Belgium" }]);
  await press(page, "button", "Add a value");
  await type(page, "Value of value 2", "be");
  await press(page, "button", "Save");
  await sees(page, "Must not contain a value twice");
  await type(page, "Value of value 2", "nl");
  await press(page, "button", "Save");
  await sees(page, "be, nl");
  await press(page, "button", "Delete country");
  await press(page, "button", "Delete the context field");
  await holds(page, "!document.body.innerText.includes('be, nl')");
  assert.equal((await request("/api/admin/context/country")).status, 404);
});

test("a context field in use shows where, and why it can't be deleted", { skip }, async (t) => {
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
  const { url, signedIn } = await openPage(t, world);
  const page = await signedIn();
  await page.goto(`${url}/context-fields`);
  await pressAt(page, "main td ::-p-text(1 flag in 1 project)");
  await sees(page, "cart");
  await sees(page, "default in development");
  await press(page, "button", "Close");
  await press(page, "button", "Delete region");
  await press(page, "button", "Delete the context field");
  await page.waitForSelector("dialog [role=alert]");
});

test("a strategy type is created with its parameters; a tag type is created", {
  skip,
}, async (t) => {
  const { request, url, signedIn } = await openPage(t);
  const page = await signedIn();
  await page.goto(`${url}/strategy-types`);
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
  await page.goto(`${url}/tag-types`);
  await press(page, "button", "New tag type");
  await type(page, "Name", "team");
  await press(page, "button", "Create the tag type");
  await page.waitForSelector("[aria-label='Edit team']");
});

test("a user without permissions sees no buttons to change context fields, strategy types or tag types", {
  skip,
}, async (t) => {
  const { request, url, signedIn } = await openPage(t);
  const page = await signedIn(3);
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
