import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SYSTEM } from "../../src/auth/actor.ts";
import { hashPassword } from "../../src/auth/password.ts";
import { write } from "../../src/events/write.ts";
import { setPassword } from "../../src/resources/users/changes.ts";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, sees, seesNoDialog, skip, type, visit } from "./browser.ts";

const PASSWORD = "correct horse battery staple";

test("a link signs in and leads home", { skip }, async (t) => {
  const { signedIn } = await openPage(t, createWorld().project("a"));
  const page = await signedIn();
  await sees(page, "Your projects");
  assert.equal(new URL(page.url()).pathname, "/");
  assert.equal(await page.title(), "Home · Flagstone");
});

test("a password signs in; a wrong one is refused, and what was typed stays", { skip }, async (t) => {
  const { db, url, openWindow } = await openPage(t);
  const hash = await hashPassword(PASSWORD);
  write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash, kept: null }));
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
  assert.equal(new URL(page.url()).pathname, "/projects", "where somebody wanted to go");
});

/** A window in which somebody is making a project, and what they sign in with. */
async function inTheMiddle(t: TestContext) {
  const { db, ...server } = await openPage(t);
  const hash = await hashPassword(PASSWORD);
  const setOwn = () => write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash, kept: null }));
  const { username } = db.prepare("SELECT username FROM users WHERE id = 1").get() as { username: string };
  setOwn();
  const page = await server.signedIn();
  await visit(page, "/projects?new=true");
  await type(page, "Name", "Written before");
  const signInAgain = async () => {
    await sees(page, "Your session has ended");
    await type(page, "Username or e-mail address", username);
    await type(page, "Password", PASSWORD);
    await press(page, "button", "Sign in");
  };
  const isMade = async () => {
    await holds(page, "location.pathname.startsWith('/projects/')");
    assert.equal(db.prepare("SELECT count(*) FROM projects WHERE name = 'Written before'").pluck().get(), 1);
  };
  return { page, signInAgain, isMade, endSessions: setOwn };
}

test("a session that ends in the middle of an edit is told of at once, and loses nothing", {
  skip,
}, async (t) => {
  const { page, endSessions, signInAgain, isMade } = await inTheMiddle(t);
  endSessions();
  await signInAgain();
  await press(page, "button", "Create the project");
  await isMade();
});

test("what is sent after the session has ended goes on by itself when somebody has signed in", {
  skip,
}, async (t) => {
  const { page, signInAgain, isMade } = await inTheMiddle(t);
  await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
  await press(page, "button", "Create the project");
  await signInAgain();
  await isMade();
});

test("signing out ends the session", { skip }, async (t) => {
  const { db, signedIn } = await openPage(t);
  const page = await signedIn();
  await press(page, "button", "Sign out");
  await sees(page, "Password");
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 0);
});

test("keys lead from view to view, to the search, and to a list of themselves", { skip }, async (t) => {
  const { signedIn } = await openPage(t);
  const page = await signedIn();
  await sees(page, "Your projects");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await sees(page, "New project");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate("document.activeElement.type"), "search");
  await page.keyboard.type("g?"); // is typed, and does nothing else
  assert.equal(await page.$("dialog"), null);
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
});

test("a server that can't be reached is told of until it is back", { skip }, async (t) => {
  const { signedIn } = await openPage(t, createWorld().project("a"));
  const page = await signedIn();
  await visit(page, "/projects");
  await page.setOfflineMode(true);
  await press(page, "button", "Favorite: a");
  await page.waitForSelector(".lost");
  await page.waitForSelector(".message.failure");
  await page.setOfflineMode(false);
  await holds(page, "document.querySelector('.lost, .message') === null");
});

test("a server that goes and comes back finds what was typed before", { skip }, async (t) => {
  const { signedIn, stopServer, startAgain, request } = await openPage(t);
  const page = await signedIn();
  await visit(page, "/projects?new=true");
  await type(page, "Name", "Written before");
  await stopServer();
  await press(page, "button", "Create the project");
  await page.waitForSelector(".lost");
  await page.waitForSelector("dialog [role=alert]");
  await startAgain();
  await holds(page, "document.querySelector('.lost') === null");
  await press(page, "button", "Create the project");
  await sees(page, "There is no flag yet");
  const { projects } = (await request("/api/admin/projects")).body;
  assert.deepEqual(
    projects.map(({ name }: { name: string }) => name),
    ["Written before"],
  );
});
