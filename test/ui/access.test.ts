import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld } from "../support/world.ts";
import { openPage, press, pressAt, sees, skip } from "./browser.ts";

const world = () => createWorld().project("a").feature("f", "a").member("a", 1, 4).member("a", 3);

test("a private project isn't listed for others, and its address shows an error", { skip }, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  await request("/api/admin/projects/a", { method: "PUT", body: { name: "a", mode: "private" } });
  const page = await signedIn(4);
  await page.goto(new URL("/projects", page.url()).href);
  await page.waitForSelector("main :is(table, .nothing)");
  assert.equal(await page.$('a[href="/projects/a"]'), null);
  await page.goto(new URL("/projects/a", page.url()).href);
  await page.waitForSelector("main .failure");
});

test("a change whose permission was revoked while the view is open is refused with a message, and its switch disabled", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const page = await signedIn(3);
  await page.goto(new URL("/projects/a/features/f", page.url()).href);
  const path = "/api/admin/projects/a/access";
  await page.waitForSelector("[role=switch]:not(:disabled)");
  const revoked = await request(path, { method: "PUT", body: { roles: [{ id: 4, users: [1] }] } });
  assert.equal(revoked.status, 200);
  await pressAt(page, "[role=switch]");
  await page.waitForSelector(".message.failure");
  await page.waitForSelector("[role=switch]:disabled");
  await press(page, "button", "Dismiss");
  await sees(page, "f");
});
