import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, sees, skip, type } from "./browser.ts";

const HEIGHT = `document.querySelector("form").lastElementChild.getBoundingClientRect().bottom -
  document.querySelector("form").getBoundingClientRect().top`;

test("the form keeps its height beside many results", { skip }, async (t) => {
  const world = createWorld().project("a");
  for (let number = 0; number < 100; number++) world.feature(`flag-${number}`, "a");
  const { url, signedIn } = await openPage(t, world);
  const page = await signedIn();
  await page.goto(`${url}/playground`);
  await page.waitForSelector("form input[type=checkbox]");
  assert.equal(await page.$eval("select[name=environment]", ({ value }) => value), "development");
  const before = await page.evaluate(HEIGHT);
  await press(page, "button", "Evaluate");
  await sees(page, "0 of 100 flags on");
  assert.equal(await page.evaluate(HEIGHT), before);
  assert.match(page.url(), /environment=development/);
  await sees(page, "1–50 of 100");
  await press(page, "button", "Next");
  await sees(page, "51–100 of 100");
  await page.reload();
  await sees(page, "51–100 of 100");
  await type(page, "Search flags", "flag-42");
  await holds(page, "document.querySelectorAll('details').length === 1");
  await page.select("select[aria-label=Result]", "on");
  await sees(page, "No flags match");
  assert.match(page.url(), /query=flag-42&result=on/);
});

test("a line of the context that names no field is refused, not ignored", { skip }, async (t) => {
  const { url, signedIn } = await openPage(t, createWorld().project("a").feature("flag", "a"));
  const page = await signedIn();
  await page.goto(`${url}/playground`);
  await type(page, "Other context fields", "{country: NO}");
  await press(page, "button", "Evaluate");
  await sees(page, "not as {country: NO}");
  await type(page, "Other context fields", "country=NO\n\n");
  await press(page, "button", "Evaluate");
  await sees(page, "of 1");
});
