import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import {
  hasValue,
  holds,
  isAt,
  open,
  press,
  pressAt,
  sees,
  seesNoDialog,
  test,
  type,
  visit,
} from "./browser.ts";

const FLAG = "/projects/a/features/f";
const STRATEGY = `${FLAG}/environments/development/strategies/s`;

const WORLD = createWorld()
  .add("contextField", { name: "tier" })
  .add("segment", { id: 1, name: "s", constraints: [] })
  .add("role", { id: 100, name: "helper", type: "custom", permissions: [] })
  .group("team", [])
  .integration({ parameters: { url: "http://localhost/" }, events: ["feature-created"] })
  .project("a")
  .feature("f", "a", {
    environments: [{ name: "development", strategies: [{ id: "s", name: "default", title: "mine" }] }],
  });

const MINE = "what I want";

/** Waits until a newer version is shown beside what is typed. */
async function seesBoth(page: Page, field: string) {
  await sees(page, "Someone else has changed this", `"${field}": "theirs"`, `"${field}": "${MINE}"`);
}

test("a strategy that others change meanwhile says so, shows both, and is saved over theirs if one says so", async (t) => {
  const { page, read, send } = await open(t, { world: WORLD, at: FLAG });
  await pressAt(page, 'button[aria-label^="Edit"]');
  await type(page, "Title", MINE);
  await send("PUT", STRATEGY, { name: "default", title: "theirs" });
  await seesBoth(page, "title");
  await press(page, "button", "Overwrite with mine");
  await seesNoDialog(page);
  assert.equal((await read(STRATEGY)).title, MINE);
});

const SETTINGS = { world: WORLD, at: `${FLAG}/settings` };

test("a flag's settings that others change meanwhile show both; theirs can be taken", async (t) => {
  const { page, read, send } = await open(t, SETTINGS);
  await type(page, "Description", MINE);
  await send("PUT", FLAG, { description: "theirs" });
  await seesBoth(page, "description");
  await press(page, "button", "Discard mine");
  await hasValue(page, "description", "theirs");
  await type(page, "Description", "mine after all");
  await press(page, "button", "Save");
  await sees(page, "Undo");
  assert.equal((await read(FLAG)).description, "mine after all");
});

test("what others change elsewhere in a flag is no reason not to save", async (t) => {
  const { page, read, send } = await open(t, SETTINGS);
  await type(page, "Description", MINE);
  await send("PUT", STRATEGY, { name: "default", title: "theirs" });
  await press(page, "button", "Save");
  await sees(page, "Undo");
  assert.equal((await read(FLAG)).description, MINE);
});

test("a form in which nothing is typed shows what others make of it; what is typed the moment it arrives is kept", async (t) => {
  const { page, send } = await open(t, SETTINGS);
  await hasValue(page, "description", "");
  await send("PUT", FLAG, { description: "first" });
  await hasValue(page, "description", "first");
  await page.evaluate(TYPE_AT_RESPONSE);
  await send("PUT", FLAG, { description: "theirs" });
  await seesBoth(page, "description");
  await hasValue(page, "description", MINE);
});

/** Types once the response has been rendered, which takes microtasks, and before effects run, which take longer. */
const TYPE_AT_RESPONSE = `
  const send = window.fetch;
  window.fetch = async (address, init) => {
    const response = await send(address, init);
    const text = await response.text();
    response.text = async () => {
      if (String(address).endsWith("/features/f") && text.includes('"theirs"')) void type();
      return text;
    };
    return response;
  };
  const type = async () => {
    window.fetch = send;
    for (let turn = 0; turn < 1000; turn++) await null;
    const field = document.querySelector("[name=description]");
    field.value = "${MINE}";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };`;

test("a project's settings that others change meanwhile show both", async (t) => {
  const { page, read, send } = await open(t, { world: WORLD, at: "/projects/a/settings" });
  await type(page, "Description", MINE);
  await type(page, "Pattern", "[a-z]+");
  await send("PUT", "/projects/a", { name: "a", description: "theirs" });
  await sees(page, '"description": "theirs"');
  await press(page, "button", "Overwrite with mine");
  await sees(page, "Undo");
  await holds(page, "!document.body.innerText.includes('Someone else')");
  const { description, featureNaming } = await read("/projects/a/overview");
  assert.deepEqual([description, featureNaming.pattern ?? null], [MINE, null]);
  await hasValue(page, "pattern", "[a-z]+");
});

test("what is edited in a dialog and deleted meanwhile stays on screen, and says so", async (t) => {
  const { page, send } = await open(t, { world: WORLD, at: FLAG });
  await pressAt(page, 'button[aria-label^="Edit"]');
  await type(page, "Title", MINE);
  await send("DELETE", STRATEGY);
  await sees(page, "There is no strategy s");
  await hasValue(page, "title", MINE);
});

const HOOK = {
  provider: "webhook",
  enabled: true,
  parameters: { url: "http://localhost/" },
  events: ["feature-created"],
};

const LISTS = [
  { list: "/segments", path: "/segments/1", name: "s", others: { name: "s", constraints: [] } },
  { list: "/context-fields", path: "/context/tier", name: "tier", others: {} },
  { list: "/tag-types", path: "/tag-types/simple", name: "simple", others: {} },
  { list: "/people/groups", path: "/groups/1", name: "team", others: { name: "team" } },
  { list: "/people/roles", path: "/roles/100", name: "helper", others: { name: "helper", permissions: [] } },
  {
    list: "/people",
    path: "/user-admin/3",
    name: "Vic Viewer",
    others: { rootRole: 3 },
    field: "Name",
    newName: MINE,
  },
  { list: "/integrations", path: "/addons/1", name: "Webhook 1", others: HOOK, newName: MINE },
];

test("in every list, an edit that meets a newer version shows both, also if it is deleted", async (t) => {
  const { page, send } = await open(t, { world: WORLD });
  for (const { list, path, name, others, field = "Description", newName = name } of LISTS)
    await t.test(list, async () => {
      const key = field.toLowerCase();
      await visit(page, list);
      await pressAt(page, `button[aria-label="Edit ${name}"]`);
      await type(page, field, MINE);
      await send("PUT", path, { ...others, [key]: "theirs" });
      await seesBoth(page, key);
      await press(page, "button", "Overwrite with mine");
      await seesNoDialog(page);
      await pressAt(page, `button[aria-label="Edit ${newName}"]`);
      await type(page, field, "typed");
      await send("DELETE", path);
      await sees(page, "There is no");
      await hasValue(page, key, "typed");
      await press(page, "button", "Cancel", "Discard");
      await seesNoDialog(page);
    });
});

test("a newer version that the page has not heard of yet is met when it is saved", async (t) => {
  const { page, read, send } = await open(t, { world: WORLD, at: "/projects/a/settings" });
  await type(page, "Pattern", "[a-z]+");
  const goOn = await holdReads(page);
  await send("PUT", "/projects/a/settings", {
    featureNaming: { pattern: "theirs", example: null, description: null },
  });
  const refused = page.waitForResponse((response) => response.status() === 412);
  await page.$eval("[name=pattern]", (field) => (field as unknown as { form: Form }).form.requestSubmit());
  await refused;
  goOn();
  await sees(page, '"pattern": "theirs"', "Overwrite with mine");
  assert.equal((await read("/projects/a/overview")).featureNaming.pattern, "theirs");
});

interface Form {
  requestSubmit(): void;
}

/** Keeps what a window asks for from the server. @returns what lets it go on */
async function holdReads(page: Page) {
  const released = Promise.withResolvers<void>();
  await page.setRequestInterception(true);
  page.on("request", async (asked) => {
    if (asked.method() === "GET") await released.promise;
    await asked.continue();
  });
  return released.resolve;
}

test("a dialog in which something is typed asks before it closes; one in which nothing is doesn't", async (t) => {
  const { page } = await open(t, { world: WORLD, at: "/segments?new=true" });
  await type(page, "Name", "beta");
  await page.keyboard.press("Escape");
  await press(page, "button", "Keep editing");
  await hasValue(page, "name", "beta");
  await press(page, "button", "Cancel", "Discard");
  await seesNoDialog(page);
  await press(page, "button", "New segment");
  await page.waitForSelector("dialog [name=name]");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
});

test("Back closes a dialog and stays in the view; a dialog that was closed is no step back", async (t) => {
  const { page } = await open(t, { world: WORLD, at: "/projects/a?query=f" });
  await visit(page, "/segments");
  await press(page, "button", "New segment");
  await page.waitForSelector("dialog");
  await page.goBack();
  await seesNoDialog(page);
  await isAt(page, "/segments");
  await press(page, "button", "New segment", "Cancel");
  await seesNoDialog(page);
  await holds(page, "history.state === null");
  await page.goBack();
  await isAt(page, "/projects/a?query=f");
});

test("Back asks before it drops what is typed in a dialog", async (t) => {
  const { page } = await open(t, { world: WORLD, at: "/segments" });
  await press(page, "button", "New segment");
  await type(page, "Name", "beta");
  await page.goBack();
  await press(page, "button", "Keep editing");
  await holds(page, `document.querySelectorAll("dialog").length === 1 && location.search === "?new=true"`);
  await hasValue(page, "name", "beta");
  await page.goBack();
  await sees(page, "Discard what you typed?");
  await page.goBack();
  await press(page, "button", "Discard");
  await seesNoDialog(page);
  await isAt(page, "/segments");
});

/** The dialog with the tokens of a service account, one of which is called "old". */
async function openTokens(t: TestContext) {
  const { page, send } = await open(t);
  const account = { username: "deployer", name: "Deployer", rootRole: 3 };
  const { id } = await send("POST", "/service-account", account);
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await send("POST", `/service-account/${id}/token`, { description: "old", expiresAt });
  await visit(page, "/people/service-accounts");
  await press(page, "button", "Tokens");
  const typeToken = async () => {
    await press(page, "button", "New token");
    await type(page, "Token description", "new");
  };
  /** Only the outer dialog is open, with what is typed in it, one step in the history above the view. */
  const isOuter = () =>
    holds(
      page,
      `document.querySelectorAll("dialog").length === 1 && location.search === "?tokens=${id}" &&
        history.state === "opened" && document.querySelector("[name=description]").value === "new"`,
    );
  const discard = async () => {
    await press(page, "button", "Close", "Discard");
    await seesNoDialog(page);
    await isAt(page, "/people/service-accounts");
    await holds(page, "history.state === null");
  };
  return { page, typeToken, isOuter, discard };
}

test("closing a dialog above another asks nothing about what is typed below; nor does Forward afterwards", async (t) => {
  const { page, typeToken, isOuter, discard } = await openTokens(t);
  await typeToken();
  await press(page, "button", "Revoke old", "Revoke the token");
  await holds(page, `document.querySelector("[aria-label='Revoke old']") === null`);
  await isOuter();
  await page.evaluate(`new Promise((resolve) => {
    const there = () => history.state === "opened" && resolve();
    addEventListener("popstate", there, { capture: true });
    history.forward();
  })`);
  await isOuter();
  await page.goBack();
  await press(page, "button", "Keep editing");
  await isOuter();
  await discard();
});

test("Forward to a dialog above another asks nothing about what is typed below", async (t) => {
  const { page, typeToken, isOuter, discard } = await openTokens(t);
  await press(page, "button", "Revoke old");
  await page.waitForSelector("dialog dialog");
  await page.goBack();
  await typeToken();
  await isOuter();
  await page.goForward();
  await sees(page, "Revoke old?");
  await holds(page, `document.querySelectorAll("dialog").length === 2`);
  await press(page, "button", "Revoke the token");
  await isOuter();
  await discard();
});

test("a form that is refused as a whole leaves the focus on its button", async (t) => {
  const { page } = await open(t, { world: WORLD, at: "/segments?new=true" });
  await type(page, "Name", "s");
  await press(page, "button", "Create the segment");
  await page.waitForSelector("dialog [role=alert]");
  await holds(page, `document.activeElement.textContent === "Create the segment"`);
});
