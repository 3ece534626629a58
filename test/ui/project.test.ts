import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, sees, seesNoDialog, skip, type, visit } from "./browser.ts";

const world = () => createWorld().project("a").feature("f", "a").member("a", 3);

test("a project's default strategy is set, and a flag that is turned on gets it", { skip }, async (t) => {
  const { url, signedIn, request } = await openPage(t, world());
  const page = await signedIn();
  await page.goto(`${url}/projects/a/environments`);
  await press(page, "button", "Edit the default strategy in development");
  await type(page, "Percent", "25");
  await press(page, "button", "Save the default strategy");
  await seesNoDialog(page);
  await sees(page, "25% of users");
  await page.goto(`${url}/projects/a/features/f`);
  await press(page, "switch", "f in development");
  await sees(page, "25% of users");
  const { body } = await request("/api/admin/projects/a/features/f/environments/development/strategies");
  assert.partialDeepStrictEqual(body, [{ parameters: { rollout: "25", groupId: "f" } }]);
});

test("a user who may not change a project sees its default strategies, but no button to edit them", {
  skip,
}, async (t) => {
  const { url, signedIn } = await openPage(t, world());
  const page = await signedIn(3);
  await page.goto(`${url}/projects/a/environments`);
  await sees(page, "Everyone");
  assert.equal(await page.$("[aria-label^='Edit the default']"), null);
});

const DIALOGS = {
  "/projects/a/people": ["Add a member", "Edit roles of Vic Viewer", "Remove Vic Viewer"],
  "/projects/a/environments": ["Edit the default strategy in development"],
  "/projects/a/tokens": ["New token"],
  "/projects/a/archive": ["Delete old permanently"],
  "/projects/a/settings": ["Archive the project", "Delete permanently"],
  "/projects/a/features/f/settings": ["Copy", "Move", "Mark as completed", "Archive"],
};

for (const [address, labels] of Object.entries(DIALOGS))
  test(`${address}: Back closes each dialog and stays in the view`, { skip }, async (t) => {
    const archived = { archivedAt: "2026-02-01T00:00:00Z" };
    const { signedIn } = await openPage(t, world().feature("old", "a", archived));
    const page = await signedIn();
    await visit(page, address);
    for (const label of labels) {
      await press(page, "button", label);
      await page.waitForSelector("dialog");
      await page.goBack();
      await seesNoDialog(page);
      await holds(page, `location.pathname + location.search === "${address}"`);
    }
  });
