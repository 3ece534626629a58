import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { holds, open, openPage, press, sees, test, type, visit } from "./browser.ts";

test("the reference is readable without a sign-in, and opens the operation in its address", async (t) => {
  const { url, openWindow } = await openPage(t);
  const page = await openWindow();
  await page.goto(`${url}/docs?operation=createFeature`);
  await sees(
    page,
    "POST /api/admin/projects/{projectId}/features",
    "Requires CREATE_FEATURE",
    "name: string",
  );
});

test("an operation is found and sent from the reference, as the signed-in user", async (t) => {
  const { page, read } = await open(t, { world: createWorld().project("shop"), at: "/docs" });
  await type(page, "Search operations", "create a flag");
  await holds(page, "document.querySelectorAll('summary').length < 5");
  await page.click("#createFeature summary");
  await holds(page, "document.querySelector('[name=projectId]')?.value === 'shop'");
  await press(page, "button", "Send the request");
  await sees(page, '"name": "new-checkout"');
  const { name } = await read("/projects/shop/features/new-checkout");
  assert.equal(name, "new-checkout");
  await press(page, "button", "Send the request");
  await sees(page, "409 NameExistsError");
  await visit(page, "/docs?operation=getAllToggles");
});
