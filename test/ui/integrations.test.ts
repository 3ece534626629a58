import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { startDispatcher } from "../../src/integrations/dispatcher.ts";
import { openReceiver } from "../support/receiver.ts";
import { createWorld } from "../support/world.ts";
import { holds, open, openPage, press, pressText, sees, seesNoDialog, test, type, visit } from "./browser.ts";

test("an integration is created with its provider's form, paused, resumed and deleted", async (t) => {
  const { page, request } = await open(t, {
    world: createWorld().project("a"),
    at: "/integrations?new=true",
  });
  await page.waitForSelector("select[name=provider] option");
  await page.select("select[name=provider]", "webhook");
  await type(page, "Description", "to the team");
  await page.waitForSelector("input[required]");
  await page.locator("input[required]").fill("https://hooks.example/x");
  await press(page, "button", "Clear selection"); // all events are selected to begin with
  await pressText(page, "feature-created");
  await press(page, "button", "Create the integration");
  await press(page, "link", "to the team");
  await press(page, "button", "Pause");
  await sees(page, "paused");
  const { body } = await request("/api/admin/addons");
  assert.deepEqual([body.addons[0].events, body.addons[0].delivery.paused], [["feature-created"], true]);
  await press(page, "button", "Resume");
  await sees(page, "active");
  await press(page, "link", "Integrations");
  await press(page, "button", "Delete to the team", "Delete the integration");
  await sees(page, "No integrations yet.");
});

test("a new integration counts as typed only once something is: only then it stays if the list is refused", async (t) => {
  const { page, request } = await open(t, {
    world: createWorld().project("a"),
    at: "/integrations?new=true",
  });
  await page.select("select[name=provider]", "datadog");
  await selectsAllEvents(page);
  await press(page, "button", "Cancel", "Discard");
  await seesNoDialog(page);
  await press(page, "button", "New integration");
  await selectsAllEvents(page);
  let isRefusing = true;
  const refused = { status: 503, contentType: "application/json", body: '{"message":"not now"}' };
  await page.setRequestInterception(true);
  page.on("request", (asked) =>
    isRefusing && asked.url().endsWith("/api/admin/addons") ? asked.respond(refused) : asked.continue(),
  );
  const createFlag = (name: string) =>
    request("/api/admin/projects/a/features", { method: "POST", body: { name } });
  await createFlag("f"); // after which the page reads the list again
  await sees(page, "not now");
  await seesNoDialog(page);
  isRefusing = false;
  await createFlag("g");
  await type(page, "Description", "to the team");
  isRefusing = true;
  await createFlag("h");
  await sees(page, "not now");
  await holds(page, `document.querySelector("dialog [name=description]").value === "to the team"`);
});

/** Waits until all events of the provider are selected. */
const selectsAllEvents = (page: Page) => sees(page, "Clear selection");

test("a failing integration says why; once fixed, it delivers what it missed", async (t) => {
  const receiver = await openReceiver(t, 410);
  const fixed = await openReceiver(t);
  let stop = async () => {};
  t.after(() => stop()); // before the database is closed
  const { db, request, url, signedIn } = await openPage(t, createWorld().project("a"));
  ({ stop } = startDispatcher({ db, log: () => {}, publicUrl: url, allowed: ["127.0.0.1"] }));
  await request("/api/admin/addons", {
    method: "POST",
    body: {
      provider: "webhook",
      description: "to the team",
      enabled: true,
      events: ["feature-created"],
      parameters: { url: receiver.url },
    },
  });
  await request("/api/admin/projects/a/features", { method: "POST", body: { name: "cart" } });
  await receiver.has(1);
  const page = await signedIn();
  await visit(page, "/integrations");
  await press(page, "link", "to the team");
  await sees(page, "410");
  await press(page, "link", "Edit");
  await sees(page, "it stays unless you replace the asterisks");
  await holds(page, `document.querySelector("dialog h2").textContent === "Integration to the team"`);
  await holds(page, `document.activeElement.name === "description"`);
  await page.locator("input[required]").fill(fixed.url);
  await press(page, "button", "Save");
  await seesNoDialog(page);
  await press(page, "link", "to the team");
  await pressText(page, "Details");
  await press(page, "button", "Redeliver");
  await fixed.has(1);
  await holds(page, "[...document.querySelectorAll('td')].some((cell) => cell.textContent === 'delivered')");
});

test("a segment is created from constraints; an environment is created, moved and switched", async (t) => {
  const { page, request } = await open(t, {
    world: createWorld().project("a"),
    at: "/segments?new=true",
  });
  await type(page, "Name", "testers");
  await press(page, "button", "Add a constraint");
  await holds(page, `document.activeElement.ariaLabel === "Context field of constraint 1"`);
  await type(page, "Values of constraint 1", "ada, 7");
  await press(page, "button", "Create the segment");
  await page.waitForSelector("[aria-label='Edit testers']");
  await sees(page, "userId is one of ada or 7");
  await visit(page, "/environments?new=true");
  await type(page, "Name", "qa");
  await press(page, "button", "Create the environment", "Move qa up");
  await press(page, "switch", "qa in new projects");
  await page.waitForSelector("[aria-label='qa in new projects'][aria-checked=false]");
  const names = (await request("/api/admin/environments")).body.environments.map(
    ({ name }: { name: string }) => name,
  );
  assert.equal(names.indexOf("qa"), names.length - 2);
});
