import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { holds, isAt, open, press, pressAt, sees, seesNoDialog, test, type, visit } from "./browser.ts";

test("keyboard shortcuts open views, the search, and the list of shortcuts", async (t) => {
  const { page } = await open(t);
  await sees(page, "Recent activity");
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

const FOUND = createWorld()
  .project("shop", { environments: ["development", "production"] })
  .feature("payment", "shop", { environments: [{ name: "production", enabled: true }] })
  .feature("cart", "shop", { description: "before the payment" });

/** What the field of the palette says is chosen. */
const CHOSEN =
  "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText";

/** Opens the palette by its keys, and types. */
async function find(page: Page, text: string) {
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("dialog [role=combobox]:focus");
  await page.keyboard.type(text);
}

test("the palette finds a flag across projects, opens it, and remembers it", async (t) => {
  const { page } = await open(t, { world: FOUND });
  await find(page, "PAY");
  await holds(page, `${CHOSEN}?.includes("payment")`);
  await page.keyboard.press("ArrowDown");
  await holds(page, `${CHOSEN}?.includes("cart")`); // by its description
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await sees(page, "Add a strategy");
  await isAt(page, "/projects/shop/features/payment");
  await visit(page, "/events");
  await find(page, "");
  await holds(page, `${CHOSEN}?.includes("payment")`);
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
});

test("the palette turns a flag off by a few words, as the user may", async (t) => {
  const { page, signedIn, read } = await open(t, { world: FOUND });
  await find(page, "payment off prod");
  await holds(page, `${CHOSEN}?.includes("Turn payment off in production")`);
  await page.keyboard.press("Enter");
  await seesNoDialog(page);
  await holds(page, "!document.querySelector('main[aria-busy=true]')");
  await t.waitFor(async () => {
    const { environments } = await read("/projects/shop/features/payment");
    assert.ok(environments.every(({ enabled }: { enabled: boolean }) => !enabled));
  });
  const viewer = await signedIn(3);
  await find(viewer, "payment on prod");
  await sees(viewer, "Nothing that you may see");
});

test("the page says that the server can't be reached, until it is back", async (t) => {
  const { page } = await open(t, { world: createWorld().project("a"), at: "/projects" });
  await page.setOfflineMode(true);
  await press(page, "button", "Favorite: a");
  await page.waitForSelector(".lost");
  await page.waitForSelector(".message.failure");
  await page.setOfflineMode(false);
  await holds(page, "document.querySelector('.lost, .message') === null");
});

test("what was typed survives a restart of the server", async (t) => {
  const { page, stopServer, startAgain, request } = await open(t, { at: "/projects?new=true" });
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

const WORLD = createWorld().project("a").feature("f", "a").feature("g", "a");

test("the log is searched by text, as its address remembers, and an event expands to a diff", async (t) => {
  const { page, send } = await open(t, { world: WORLD });
  await send("PUT", "/projects/a/features/f", { name: "f", description: "unmistakable" });
  await send("PUT", "/projects/a/features/g", { name: "g", description: "other" });
  await visit(page, "/events");
  await sees(page, "1–2 of 2");
  await type(page, "Search the log", "unmistakable");
  await sees(page, "1–1 of 1");
  await isAt(page, "/events?query=unmistakable");
  await pressAt(page, ".event button");
  await page.waitForSelector(".differences ins");
  assert.match(page.url(), /open=\d+/);
  await page.reload();
  await page.waitForSelector(".differences ins");
  const text = await page.$eval(".differences ins", ({ textContent }) => textContent);
  assert.match(text ?? "", /"description": "unmistakable"/);
});

test("changes by others appear by themselves, in the log, in a project and on a flag", async (t) => {
  const { page: log, signedIn, send } = await open(t, { world: WORLD, at: "/events" });
  const [project, flag] = [await signedIn(), await signedIn()];
  await visit(project, "/projects/a");
  await visit(flag, "/projects/a/features/f");
  await send("POST", "/projects/a/features", { name: "made-by-another" });
  await project.bringToFront();
  await sees(project, "made-by-another");
  await send("POST", "/projects/a/features/f/environments/development/on");
  await flag.bringToFront();
  await flag.waitForSelector("[role=switch][aria-checked=true]");
  await log.bringToFront();
  await sees(log, "made-by-another");
});

test("a search is copied as a curl command", async (t) => {
  const { page, url } = await open(t, { world: WORLD });
  await page
    .browserContext()
    .overridePermissions(url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  await visit(page, "/events?query=it's");
  await press(page, "button", "Copy curl");
  await sees(page, "Copied");
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.match(
    String(copied),
    /^curl -H "Authorization: \$TOKEN" 'http:[^' ]+\/search\/events\?query=it%27s'$/,
  );
});

test("an invalid filter is refused with a message, and cleared with a click", async (t) => {
  const { page } = await open(t, { world: WORLD, at: "/events?from=someday&offset=first" });
  await sees(page, "must be a day");
  await press(page, "button", "Clear filters");
  await holds(page, "document.querySelector('main .failure') === null");
  await isAt(page, "/events");
});
