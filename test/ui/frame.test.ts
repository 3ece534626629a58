import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEM } from "../../src/auth/actor.ts";
import { hashPassword } from "../../src/auth/password.ts";
import { write } from "../../src/events/write.ts";
import { setPassword } from "../../src/resources/users/changes.ts";
import { createWorld } from "../support/world.ts";
import { openPage, press, sees, skip, type } from "./browser.ts";

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

test("a session that ends in the middle of an edit loses nothing", { skip }, async (t) => {
  const { db, signedIn } = await openPage(t);
  const hash = await hashPassword(PASSWORD);
  const { username } = db.prepare("SELECT username FROM users WHERE id = 1").get() as { username: string };
  const page = await signedIn();
  await page.goto(new URL("/projects?new=true", page.url()).href);
  await type(page, "Name", "Written before");
  write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash, kept: null })); // ends all sessions
  await press(page, "button", "Create the project");
  await sees(page, "Your session has ended");
  await type(page, "Username or e-mail address", username);
  await type(page, "Password", PASSWORD);
  await press(page, "button", "Sign in");
  await page.waitForFunction("location.pathname.startsWith('/projects/')");
  assert.equal(db.prepare("SELECT count(*) FROM projects WHERE name = 'Written before'").pluck().get(), 1);
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
  await page.waitForFunction("document.querySelector('dialog') === null");
});

test("a server that goes and comes back: the page says so, and goes on by itself", { skip }, async (t) => {
  const { signedIn } = await openPage(t, createWorld().project("a"));
  const page = await signedIn();
  await page.goto(new URL("/projects", page.url()).href);
  await page.waitForSelector("main table");
  await page.setOfflineMode(true);
  await press(page, "button", "Favorite: a");
  await page.waitForSelector(".lost");
  await page.waitForSelector(".message.failure");
  await page.setOfflineMode(false);
  await page.waitForFunction("document.querySelector('.lost, .message') === null");
});
