import assert from "node:assert/strict";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { createWorld } from "../support/world.ts";
import { hasValue, holds, open, press, pressAt, pressText, sees, test, type, visit } from "./browser.ts";

test("four steps lead from nothing to a flag that an application uses, without leaving the page", async (t) => {
  const { page, db, url } = await open(t, { world: createWorld().project("shop") });
  await sees(page, "First steps");
  await press(page, "link", "Create a flag");
  await type(page, "Name", "first-flag");
  await press(page, "button", "Create the flag");
  await pressAt(page, ".environment [role=switch]");
  await page.waitForSelector("[role=switch][aria-checked=true]");
  await press(page, "link", "Home", "Use it in your application");
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

test("the playground shows which flags a user gets, and keeps its input in the address", async (t) => {
  const { page } = await open(t, { world: createWorld().project("a").feature("f", "a"), at: "/playground" });
  await type(page, "Value of userId", "7");
  await press(page, "button", "Evaluate");
  await sees(page, "1 flag", "0 on in development · 0 on in production");
  assert.match(page.url(), /environments=development%2Cproduction&context=%7B.*userId%22%3A%227%22/);
  await page.reload();
  await sees(page, "0 on in development · 0 on in production");
  await holds(page, `document.querySelector('[aria-label="Value of userId"]').value === "7"`);
});

test("a member connects an application to a flag from its page, in the environment where it is on", async (t) => {
  const world = createWorld()
    .project("a")
    .member("a", 3)
    .feature("f", "a", { environments: [{ name: "production", enabled: true }] });
  const { page } = await open(t, { world, as: 3, at: "/projects/a/features/f" });
  await press(page, "link", "Use it in your application");
  await sees(page, "For the flag f in the project a");
  await press(page, "button", "Create a token and show the code");
  await sees(page, 'isEnabled("f"', "a:production.");
});

test("first steps count flags in any project, and a step without the permission is no link", async (t) => {
  const world = createWorld()
    .project("a")
    .project("b")
    .feature("off", "b")
    .feature("f", "a", { environments: [{ name: "production", enabled: true }] });
  const { page, signedIn } = await open(t, { world, as: 3 });
  await sees(page, "Use it in your application (you don't have the permission)");
  const admin = await signedIn();
  await press(admin, "link", "Use it in your application");
  await sees(admin, "For the flag f in the project a");
});

const HEIGHT = `document.querySelector("form").lastElementChild.getBoundingClientRect().bottom -
  document.querySelector("form").getBoundingClientRect().top`;

test("the form keeps its height beside many results", async (t) => {
  const world = createWorld().project("a");
  for (let number = 0; number < 100; number++) world.feature(`flag-${number}`, "a");
  const { page } = await open(t, { world, at: "/playground" });
  await page.waitForSelector("form input[type=checkbox]");
  const before = await page.evaluate(HEIGHT);
  await press(page, "button", "Evaluate");
  await sees(page, "100 flags", "0 on in development");
  assert.equal(await page.evaluate(HEIGHT), before);
  await sees(page, "1–50 of 100");
  await press(page, "button", "Next");
  await sees(page, "51–100 of 100");
  await page.reload();
  await sees(page, "51–100 of 100");
  await type(page, "Search flags", "flag-42");
  await holds(page, "document.querySelectorAll('tbody tr').length === 1");
  await page.select("select[aria-label=Result]", "on");
  await sees(page, "No flags match");
  assert.match(page.url(), /query=flag-42&result=on/);
});

test("flags are evaluated in several environments, for a context of fields or JSON, or as a token has them", async (t) => {
  const strategies = [
    {
      name: "default",
      constraints: [{ contextName: "country", operator: "IN", values: ["NO"], inverted: false }],
    },
  ];
  const world = createWorld()
    .project("a")
    .project("b")
    .add("contextField", { name: "country", legalValues: [{ value: "NO" }, { value: "SE" }] })
    .add("token", { type: "client", name: "till", hash: "1".repeat(64), environment: "production" })
    .feature("cart", "a", { environments: [{ name: "production", enabled: true, strategies }] });
  const { page } = await open(t, { world, at: "/playground?environments=development%2Cproduction" });
  await page.waitForSelector("option[value=country]");
  await page.select("select[aria-label='Name of field 1']", "country");
  await page.select("select[aria-label='Value of country']", "NO");
  await press(page, "button", "Evaluate");
  await sees(page, "0 on in development · 1 on in production");
  await pressText(page, "Why cart in production");
  await sees(page, "country is one of NO");
  await page.select("[name=as]", "json");
  await hasValue(page, "json", '{\n  "country": "NO"\n}');
  await type(page, "Context", "{country: NO}");
  await press(page, "button", "Evaluate");
  await sees(page, "Is not JSON");
  await type(page, "Context", '{"country": "SE", "age": 3}');
  await press(page, "button", "Evaluate");
  await sees(page, "Left out, since they aren't texts: age");
  await type(page, "Context", '{"country": "SE,NO"}');
  await page.waitForSelector("[name=token] option[value='2']");
  await page.select("[name=token]", "2");
  await press(page, "button", "Evaluate");
  await sees(page, "on NO", "off SE");
  await holds(page, "!document.body.innerText.includes('on in development')");
});

test("the home page shows flags that applications ask for in vain", async (t) => {
  const hours = [{ hour: `${new Date().toISOString().slice(0, 13)}:00:00.000Z`, yes: 1 }];
  const asked = { feature: "new-crat", environment: "development", application: "till", hours };
  const { page } = await open(t, { world: createWorld().add("usage", asked) });
  await sees(page, "Unknown flags");
  await sees(page, "new-crat");
  await sees(page, "till", "development");
});
