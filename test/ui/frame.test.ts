import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, sees, seesNoDialog, skip, type, visit } from "./browser.ts";

test("keyboard shortcuts open views, the search, and the list of shortcuts", { skip }, async (t) => {
  const { signedIn } = await openPage(t);
  const page = await signedIn();
  await sees(page, "Your projects");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await sees(page, "New project");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate("document.activeElement.type"), "search");
  await page.keyboard.type("g?"); // typed as text, without opening anything
  assert.equal(await page.$("dialog"), null);
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
});

test("the page says that the server can't be reached, until it is back", { skip }, async (t) => {
  const { signedIn } = await openPage(t, createWorld().project("a"));
  const page = await signedIn();
  await visit(page, "/projects");
  await page.setOfflineMode(true);
  await press(page, "button", "Favorite: a");
  await page.waitForSelector(".lost");
  await page.waitForSelector(".message.failure");
  await page.setOfflineMode(false);
  await holds(page, "document.querySelector('.lost, .message') === null");
});

test("what was typed survives a restart of the server", { skip }, async (t) => {
  const { signedIn, stopServer, startAgain, request } = await openPage(t);
  const page = await signedIn();
  await visit(page, "/projects?new=true");
  await type(page, "Name", "Written before");
  await stopServer();
  await press(page, "button", "Create the project");
  await page.waitForSelector(".lost");
  await page.waitForSelector("dialog [role=alert]");
  await startAgain();
  await holds(page, "document.querySelector('.lost') === null");
  await press(page, "button", "Create the project");
  await sees(page, "No flags yet");
  const { projects } = (await request("/api/admin/projects")).body;
  assert.deepEqual(
    projects.map(({ name }: { name: string }) => name),
    ["Written before"],
  );
});
