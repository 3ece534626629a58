import assert from "node:assert/strict";
import { test } from "node:test";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { createWorld } from "../support/world.ts";
import { openPage, press, pressAt, sees, skip, type, visit } from "./browser.ts";

test("four steps lead from nothing to a flag that an application uses, without leaving the page", {
  skip,
}, async (t) => {
  const { db, url, signedIn } = await openPage(t, createWorld().project("shop"));
  const page = await signedIn();
  await sees(page, "First steps");
  await press(page, "link", "Create a flag");
  await type(page, "Name", "first-flag");
  await press(page, "button", "Create the flag");
  await pressAt(page, ".environment [role=switch]");
  await page.waitForSelector("[role=switch][aria-checked=true]");
  await press(page, "link", "Home");
  await press(page, "link", "Use it in your application");
  await press(page, "button", "Create a token and show the code");
  await sees(page, "Waiting for your application");
  const text = String(await page.evaluate("document.querySelectorAll('pre')[1].textContent"));
  assert.match(text, /first-flag/);
  const secret = String(await page.evaluate("document.querySelector('pre').textContent"));
  const send = (path: string, body: object) =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: secret.trim(), "content-type": "application/json" },
      body: JSON.stringify({ appName: "till", ...body }),
    });
  const answer = await send("/ofrep/v1/evaluate/flags/first-flag", {});
  assert.partialDeepStrictEqual(await answer.json(), { value: true });
  const start = new Date();
  await send("/api/client/register", { strategies: [], started: start, interval: 1000 });
  await writeUsage(db);
  await sees(page, "Connected: till has started");
  const toggles = { "first-flag": { yes: 2, no: 1 } };
  await send("/api/client/metrics", { bucket: { start, stop: start, toggles } });
  await writeUsage(db);
  await sees(page, "evaluated 3 times in development this hour, 2 on and 1 off");
  await visit(page, "/projects/shop/features/first-flag/use");
  await sees(page, "till");
});

test("the playground shows which flags a user gets, and keeps its input in the address", {
  skip,
}, async (t) => {
  const { signedIn } = await openPage(t, createWorld().project("a").feature("f", "a"));
  const page = await signedIn();
  await page.goto(new URL("/playground", page.url()).href);
  await type(page, "userId", "7");
  await press(page, "button", "Evaluate");
  await sees(page, "0 of 1 flag on");
  assert.match(page.url(), /userId=7/);
  await page.reload();
  await sees(page, "0 of 1 flag on");
});

test("a member connects an application to a flag from its page, in the environment where it is on", {
  skip,
}, async (t) => {
  const world = createWorld()
    .project("a")
    .member("a", 3)
    .feature("f", "a", { environments: [{ name: "production", enabled: true }] });
  const { signedIn } = await openPage(t, world);
  const page = await signedIn(3);
  await visit(page, "/projects/a/features/f");
  await press(page, "link", "Use it in your application");
  await sees(page, "For the flag f in the project a");
  await press(page, "button", "Create a token and show the code");
  await sees(page, 'isEnabled("f"');
  await sees(page, "a:production.");
});

test("first steps count flags in any project, and a step without the permission is no link", {
  skip,
}, async (t) => {
  const world = createWorld()
    .project("a")
    .project("b")
    .feature("off", "b")
    .feature("f", "a", { environments: [{ name: "production", enabled: true }] });
  const { signedIn } = await openPage(t, world);
  const page = await signedIn(3);
  await sees(page, "Use it in your application (you don't have the permission)");
  const admin = await signedIn();
  await press(admin, "link", "Use it in your application");
  await sees(admin, "For the flag f in the project a");
});
