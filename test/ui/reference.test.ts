import assert from "node:assert/strict";
import { loadUi } from "#ui";
import { openPage, test } from "./browser.ts";

/** The reference is large, and the machine may be busy. */
const TIMEOUT = { timeout: 60_000 };

test("the reference lists the operations of its own server, and opens the one in its address", async (t) => {
  await loadUi("reference"); // built here, so that the browser need not wait for it
  const { url, openWindow } = await openPage(t);
  const page = await openWindow();
  await page.goto(`${url}/docs#/Features/createFeature`, { waitUntil: "domcontentloaded", ...TIMEOUT });
  await page.waitForSelector(".opblock-tag", TIMEOUT);
  const tags = await page.$$eval(".opblock-tag", (found) => found.map(({ id }) => id));
  assert.ok(tags.includes("operations-tag-Features"), String(tags));
  await page.waitForSelector("#operations-Features-createFeature .opblock-body", TIMEOUT);
});
