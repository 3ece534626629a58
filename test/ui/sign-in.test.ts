import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import { SYSTEM } from "../../src/access/actor.ts";
import { hashPassword } from "../../src/access/password-hash.ts";
import { write } from "../../src/events/write.ts";
import { setPassword } from "../../src/people/passwords.ts";
import { createWorld, personal } from "../support/world.ts";
import { holds, isUsedBy, open, openPage, press, pressAt, sees, test, type, visit } from "./browser.ts";

const PASSWORD = "correct horse battery staple";

test("a link signs in and leads home", async (t) => {
  const { page } = await open(t, { world: createWorld().project("a") });
  await sees(page, "Recent activity");
  assert.equal(new URL(page.url()).pathname, "/");
  assert.equal(await page.title(), "Home · Flagstone");
});

test("a password signs in; a wrong one is refused, and what was typed stays", async (t) => {
  const { db, url, openWindow } = await openPage(t);
  const hash = await hashPassword(PASSWORD);
  write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash, keptSession: null }));
  const { username } = db.prepare("SELECT username FROM users WHERE id = 1").get() as { username: string };
  const page = await openWindow();
  await page.goto(`${url}/projects`);
  await type(page, "Username or e-mail address", username);
  await type(page, "Password", "a wrong one");
  await press(page, "button", "Sign in");
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.evaluate("document.querySelector('input[name=username]').value"), username);
  await type(page, "Password", PASSWORD);
  await press(page, "button", "Sign in");
  await sees(page, "New project");
  assert.equal(new URL(page.url()).pathname, "/projects", "the view that was asked for");
});

/** A window in which a user is creating a project, and the means to end the session and sign in again. */
async function whileCreating(t: TestContext) {
  const { db, signedIn, link } = await openPage(t);
  const hash = await hashPassword(PASSWORD);
  const setPasswordOf = (id: number) =>
    write(db, SYSTEM, (tx) => setPassword(tx, id, { hash, keptSession: null }));
  setPasswordOf(1);
  setPasswordOf(2);
  const page = await signedIn();
  await visit(page, "/projects?new=true");
  await type(page, "Name", "Written before");
  const signInAgain = async (username = "admin") => {
    await sees(page, "Your session has ended");
    await type(page, "Username or e-mail address", username);
    await type(page, "Password", PASSWORD);
    await press(page, "button", "Sign in");
  };
  const isCreated = async () => {
    await holds(page, "location.pathname.startsWith('/projects/')");
    assert.equal(db.prepare("SELECT count(*) FROM projects WHERE name = 'Written before'").pluck().get(), 1);
  };
  return { db, page, link, signInAgain, isCreated, endSessions: () => setPasswordOf(1) };
}

/**
 * Ends the session, and clicks what a selector finds. By script, since the sign-in form may already cover it: a refetch
 * reaches the server before the click if something has just changed.
 */
async function clickWithoutSession(page: Page, selector: string) {
  const button = await page.waitForSelector(selector);
  await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
  await button!.evaluate((element) => (element as unknown as { click(): void }).click());
}

const CREATE = "::-p-text(Create the project)";

/** Continues the session as a user who has signed in from another window. */
async function continueAs(page: Page, link: string) {
  await sees(page, "Your session has ended");
  const other = await page.browserContext().newPage();
  await other.goto(link);
  await page.bringToFront();
  await sees(page, "has signed in from another window");
  await press(page, "button", "Continue as them");
}

test("a session that ends in the middle of an edit is reported immediately, and nothing typed is lost", async (t) => {
  const { page, endSessions, signInAgain, isCreated } = await whileCreating(t);
  endSessions();
  await signInAgain();
  await press(page, "button", "Create the project");
  await isCreated();
});

test("a request sent after the session has ended continues by itself after the next sign-in", async (t) => {
  const { page, signInAgain, isCreated } = await whileCreating(t);
  await clickWithoutSession(page, CREATE);
  await signInAgain();
  await isCreated();
});

type Creating = Awaited<ReturnType<typeof whileCreating>>;

const WAYS = {
  "by password": ({ signInAgain }: Creating) => signInAgain("user2"),
  "from another window": ({ page, link }: Creating) => continueAs(page, link(2)),
};

for (const [way, signIn] of Object.entries(WAYS))
  test(`what one user has submitted isn't sent as a different one who signs in ${way}`, async (t) => {
    const creating = await whileCreating(t);
    const { db, page } = creating;
    await clickWithoutSession(page, CREATE);
    await sees(page, "Your session has ended");
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/admin/projects") && request.method() === "POST") sent.push(way);
    });
    await signIn(creating);
    await seesNoSignIn(page);
    await isUsedBy(page, "user2");
    assert.deepEqual(sent, []);
    assert.equal(db.prepare("SELECT count(*) FROM projects WHERE name = 'Written before'").pluck().get(), 0);
  });

test("a different user who continues sees no messages of the first one", async (t) => {
  const world = createWorld().project("a").feature("f", "a").member("a", 1, 4).member("a", 3);
  const { page, send, link } = await open(t, { world, as: 3, at: "/projects/a/features/f" });
  await page.waitForSelector("[role=switch]:not(:disabled)");
  await send("PUT", "/projects/a/access", { roles: [{ id: 4, users: [1] }] });
  await pressAt(page, "[role=switch]");
  await page.waitForSelector(".message.failure");
  await clickWithoutSession(page, "button[aria-label=Favorite]"); // the request waits for the next sign-in
  await continueAs(page, link(1));
  await isUsedBy(page, "admin");
  await page.waitForSelector("button[aria-label=Favorite]:not([aria-disabled=true])");
  assert.equal(await page.$(".message"), null);
});

test("an ended session continues when the same user signs in from another window", async (t) => {
  const { page, endSessions, link, isCreated } = await whileCreating(t);
  endSessions();
  await sees(page, "Your session has ended");
  const other = await page.browserContext().newPage();
  await other.goto(link(1));
  await page.bringToFront();
  await seesNoSignIn(page);
  await press(page, "button", "Create the project");
  await isCreated();
});

test("a different user who signs in from another window is named, and not mistaken for the first", async (t) => {
  const { page, endSessions, link } = await whileCreating(t);
  endSessions();
  await continueAs(page, link(3));
  await seesNoSignIn(page);
  await isUsedBy(page, "Vic Viewer");
  await holds(
    page,
    "![...document.querySelectorAll('input')].some(({ value }) => value === 'Written before')",
  );
});

test("a token signs in until the page is reloaded; an unknown one is refused with a message", async (t) => {
  const { url, openWindow } = await openPage(t, createWorld().project("a"));
  const page = await openWindow();
  await page.goto(`${url}/projects`);
  await page.locator("summary").click();
  await type(page, "Sign-in link or API token", "user:nobodys");
  await press(page, "button", "Continue");
  await sees(page, "unknown or expired");
  await type(page, "Sign-in link or API token", personal(1));
  await press(page, "button", "Continue");
  await page.waitForSelector('a[href="/projects/a"]');
  assert.deepEqual(await page.browserContext().cookies(), []);
  await page.reload();
  await sees(page, "No password?");
});

test("a pasted link signs in", async (t) => {
  const { url, link, openWindow } = await openPage(t);
  const page = await openWindow();
  await page.goto(url);
  await page.locator("summary").click();
  await type(page, "Sign-in link or API token", ` ${link(1)} `);
  await press(page, "button", "Continue");
  await sees(page, "Recent activity");
});

const seesNoSignIn = (page: Page) => holds(page, "!document.body.innerText.includes('Sign in again')");

test("signing out ends the session", async (t) => {
  const { db, page } = await open(t);
  await press(page, "button", "Sign out");
  await sees(page, "Password");
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 0);
});
