import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, pressAt, sees, skip, type } from "./browser.ts";

const world = () => createWorld().project("a").feature("f", "a").feature("g", "a");

const change = { method: "POST", body: { name: "made-by-another" } };

test("the log is searched by text, as its address remembers, and an event expands to a diff", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const features = "/api/admin/projects/a/features";
  await request(`${features}/f`, { method: "PUT", body: { name: "f", description: "unmistakable" } });
  await request(`${features}/g`, { method: "PUT", body: { name: "g", description: "other" } });
  const page = await signedIn();
  await page.goto(new URL("/events", page.url()).href);
  await sees(page, "1–2 of 2");
  await type(page, "Search the log", "unmistakable");
  await sees(page, "1–1 of 1");
  await holds(page, "location.search === '?query=unmistakable'");
  await pressAt(page, ".event button");
  await page.waitForSelector(".differences ins");
  assert.match(page.url(), /open=\d+/);
  await page.reload();
  await page.waitForSelector(".differences ins");
  const text = await page.$eval(".differences ins", ({ textContent }) => textContent);
  assert.match(text ?? "", /"description": "unmistakable"/);
});

test("changes by others appear by themselves, in the log, in a project and on a flag", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const log = await signedIn();
  await log.goto(new URL("/events", log.url()).href);
  const project = await signedIn();
  await project.goto(new URL("/projects/a", project.url()).href);
  const flag = await signedIn();
  await flag.goto(new URL("/projects/a/features/f", flag.url()).href);
  await request("/api/admin/projects/a/features", change);
  await project.bringToFront();
  await sees(project, "made-by-another");
  await request("/api/admin/projects/a/features/f/environments/development/on", { method: "POST" });
  await flag.bringToFront();
  await flag.waitForSelector("[role=switch][aria-checked=true]");
  await log.bringToFront();
  await sees(log, "made-by-another");
});

test("a search is copied as a curl command", { skip }, async (t) => {
  const { signedIn, url } = await openPage(t, world());
  const page = await signedIn();
  await page
    .browserContext()
    .overridePermissions(url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  await page.goto(new URL("/events?query=it's", page.url()).href);
  await press(page, "button", "Copy curl");
  await sees(page, "Copied");
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.match(
    String(copied),
    /^curl -H "Authorization: \$TOKEN" 'http:[^' ]+\/search\/events\?query=it%27s'$/,
  );
});

test("an invalid filter is refused with a message, and cleared with a click", { skip }, async (t) => {
  const { signedIn, url } = await openPage(t, world());
  const page = await signedIn();
  await page.goto(`${url}/events?from=someday&offset=first`);
  await sees(page, "must be a day");
  await press(page, "button", "Clear filters");
  await holds(page, "document.querySelector('main .failure') === null");
  assert.equal(page.url(), `${url}/events`);
});
