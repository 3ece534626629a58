import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import { SYSTEM } from "../../src/access/actor.ts";
import { hashPassword } from "../../src/access/password-hash.ts";
import { write } from "../../src/events/write.ts";
import { setPassword } from "../../src/people/passwords.ts";
import { createWorld, personal } from "../support/world.ts";
import { holds, isUsedBy, open, openPage, press, sees, seesNoDialog, test, type } from "./browser.ts";

const PASSWORD = "correct horse battery staple";

/** A window of a user who is creating a project, and what opens one of a second user in the same browser. */
async function whileCreating(t: TestContext) {
  const { db, url, link, page: first } = await open(t, { at: "/projects?new=true" });
  await type(first, "Name", "Written before");
  const second = async () => {
    const page = await first.browserContext().newPage();
    await page.goto(link(2));
    await isUsedBy(page, "user2");
    return page;
  };
  const isCreated = () =>
    db.prepare("SELECT 1 FROM projects WHERE name = 'Written before'").get() !== undefined;
  return { db, url, first, second, isCreated };
}

/** The requests that a window sends from now on, as strings such as `GET /api/admin/user`. */
function requestsOf(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  return sent;
}

/** Submits the form of a window, even below the sign-in form. */
const submit = (page: Page) =>
  page.$eval("dialog form", (form) => (form as unknown as { requestSubmit(): void }).requestSubmit());

const CREATE = "POST /api/admin/projects";

test("a window says that a different user has signed in from another, and sends nothing as them", async (t) => {
  const { first, second, isCreated } = await whileCreating(t);
  const other = await second();
  await sees(first, "user2 has signed in from another window");
  const sent = requestsOf(first);
  await submit(first);
  await first.bringToFront();
  await press(first, "button", "Continue as them");
  await isUsedBy(first, "user2");
  assert.ok(!sent.includes(CREATE));
  assert.equal(isCreated(), false);
  await isUsedBy(other, "user2");
  assert.equal(await other.$("dialog"), null);
});

test("what a user submits meanwhile is sent once they have signed in again, which the other one's window says", async (t) => {
  const { db, first, second, isCreated } = await whileCreating(t);
  const hash = await hashPassword(PASSWORD);
  write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash, keptSession: null }));
  const other = await second();
  await sees(first, "user2 has signed in from another window");
  await submit(first);
  await first.bringToFront();
  await type(first, "Username or e-mail address", "admin");
  await type(first, "Password", PASSWORD);
  await press(first, "button", "Sign in");
  await holds(first, "location.pathname === '/projects/written-before'");
  assert.equal(isCreated(), true);
  await sees(other, "admin has signed in from another window");
  await seesNoDialog(first);
});

/** Opens a window that hears what the windows of the page tell each other. */
async function listener(first: Page, url: string) {
  const page = await first.browserContext().newPage();
  await page.goto(`${url}/health`); // no window of the page
  await page.evaluate(`
    window.heard = [];
    window.windows = new BroadcastChannel("flagstone");
    windows.onmessage = ({ data }) => heard.push(data);
  `);
  return page;
}

test("a window with a pasted token neither heeds who signs in nor tells", async (t) => {
  const { url, link, openWindow } = await openPage(t, createWorld().project("a"));
  const page = await openWindow();
  await page.goto(`${url}/projects`);
  const heard = await listener(page, url);
  await page.bringToFront();
  await page.locator("summary").click();
  await type(page, "Sign-in link or API token", personal(1));
  await press(page, "button", "Continue");
  await isUsedBy(page, "admin");
  const other = await page.browserContext().newPage();
  await other.goto(link(2));
  await holds(heard, "heard.length > 0");
  assert.deepEqual(await heard.evaluate("heard"), [2]);
  await page.bringToFront();
  await press(page, "button", "Favorite: a");
  await holds(page, "document.querySelector('[aria-label=\"Favorite: a\"][aria-pressed=true]') !== null");
  await isUsedBy(page, "admin");
  await seesNoDialog(page);
});

test("a mistaken announcement is checked once by each window, which then goes on", async (t) => {
  const { url, first, isCreated } = await whileCreating(t);
  const heard = await listener(first, url);
  const sent = requestsOf(first);
  await heard.evaluate("windows.postMessage(2)");
  await holds(heard, "heard.length > 0");
  await first.bringToFront();
  await press(first, "button", "Create the project");
  await holds(first, "location.pathname === '/projects/written-before'");
  assert.equal(isCreated(), true);
  assert.deepEqual(await heard.evaluate("heard"), [1]);
  assert.equal(sent.filter((one) => one === "GET /api/admin/user").length, 1);
});
