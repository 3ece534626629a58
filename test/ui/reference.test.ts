import assert from "node:assert/strict";
import { test } from "node:test";
import { loadUi } from "#ui";
import { openPage, skip } from "./browser.ts";

/** It is large, and the machine may be busy. */
const PATIENCE = { timeout: 60_000 };

test("the reference shows every operation by itself, and asks its own server", { skip }, async (t) => {
  await loadUi("reference"); // made here, so that the browser need not wait for it
  const { url, openWindow } = await openPage(t);
  const page = await openWindow();
  await page.goto(`${url}/docs#/Features/createFeature`, { waitUntil: "domcontentloaded", ...PATIENCE });
  await page.waitForSelector(".opblock-tag", PATIENCE);
  const tags = await page.$$eval(".opblock-tag", (found) => found.map(({ id }) => id));
  assert.ok(tags.includes("operations-tag-Features"), String(tags));
  await page.waitForSelector("#operations-Features-createFeature .opblock-body", PATIENCE);
});
