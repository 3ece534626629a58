import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { holds, open, press, pressAt, pressText, sees, test, type, visit } from "./browser.ts";

const PASSWORD = "Str0ng-Passw0rd!x9";

test("a user is created, and is signed in after setting a password with the link", async (t) => {
  const { page, openWindow } = await open(t, { at: "/people?new=true" });
  await type(page, "Username", "nina");
  await press(page, "button", "Create the user");
  await sees(page, "No e-mail is sent");
  const link = await page.$eval(".secret pre", (shown) => shown.textContent ?? "");
  const theirs = await openWindow();
  await theirs.goto(link);
  await sees(theirs, "Set a password for nina");
  await type(theirs, "Password", "short");
  await press(theirs, "button", "Set the password");
  await theirs.waitForSelector(".problem");
  await type(theirs, "Password", PASSWORD);
  await press(theirs, "button", "Set the password");
  await sees(theirs, "Recent activity");
});

test("an invited person signs up; an invalid link says so", async (t) => {
  const { page, url, openWindow, db } = await open(t, { at: "/people/invitations?new=true" });
  await type(page, "Name", "the team");
  await press(page, "button", "Create the invitation");
  await sees(page, "with the Viewer role");
  const link = await page.$eval(".secret pre", (shown) => shown.textContent ?? "");
  const theirs = await openWindow();
  await theirs.goto(link);
  await type(theirs, "Username", "otto");
  await type(theirs, "E-mail address", "otto@example.com");
  await type(theirs, "Name", "Otto");
  await type(theirs, "Password", PASSWORD);
  await press(theirs, "button", "Sign up");
  await sees(theirs, "Recent activity");
  assert.equal(db.prepare("SELECT root_role FROM users WHERE username = 'otto'").pluck().get(), 3);
  await theirs.goto(`${url}/new-user?invite=nothing`);
  await theirs.waitForSelector("[role=alert]");
});

test("a group, a role and a service account with a token are created", async (t) => {
  const { page, request } = await open(t, {
    world: createWorld().project("a"),
    at: "/people/groups?new=true",
  });
  await type(page, "Name", "crew");
  await press(page, "button", "Create the group");
  await page.waitForSelector("[aria-label='Edit crew']");

  await visit(page, "/people/roles?new=true");
  await type(page, "Name", "Switcher");
  await page.waitForSelector("fieldset label");
  await pressText(page, "development: ");
  await press(page, "button", "Create the role", "Edit Switcher");
  await page.waitForSelector("fieldset input:checked");
  await press(page, "button", "Close");

  await visit(page, "/people/service-accounts?new=true");
  await type(page, "Username", "deployer");
  await type(page, "Name", "Deployer");
  await press(page, "button", "Create the service account", "Tokens", "New token");
  await type(page, "Token description", "pipeline");
  await press(page, "button", "Create the token");
  await page.waitForSelector(".secret");
  const secret = await page.$eval(".secret pre", (shown) => shown.textContent ?? "");
  assert.equal((await request("/api/admin/projects", { as: secret })).status, 200);
});

test("users create and revoke tokens of their own, and can't change their password without the current one", async (t) => {
  const { page, db } = await open(t, { as: 3, at: "/me" });
  await press(page, "button", "New token");
  await type(page, "Token description", "laptop");
  await press(page, "button", "Create the token");
  await page.waitForSelector(".secret");
  await press(page, "button", "Revoke laptop", "Revoke the token");
  await holds(page, "!document.querySelector('[aria-label=\"Revoke laptop\"]')");
  assert.equal(db.prepare("SELECT count(*) FROM tokens WHERE name = 'laptop'").pluck().get(), 0);
  await type(page, "Current password", "a wrong one");
  await type(page, "New password", PASSWORD);
  await type(page, "Repeat the new password", PASSWORD);
  await press(page, "button", "Change the password");
  await page.waitForSelector(".problem");
});

test("users end their sessions elsewhere", async (t) => {
  const { page, signedIn, db } = await open(t, { as: 3 });
  const sessions = () => db.prepare("SELECT count(*) FROM sessions").pluck().get();
  await signedIn(3);
  await signedIn(3);
  await visit(page, "/me");
  await pressAt(page, 'button[aria-label^="End the session of"]');
  await holds(page, "document.querySelectorAll('[aria-label^=\"End the session of\"]').length === 1");
  assert.equal(sessions(), 2);
  await press(page, "button", "Sign out everywhere else");
  await holds(page, "document.querySelector('[aria-label^=\"End the session of\"]') === null");
  assert.equal(sessions(), 1);
  await sees(page, "this session");
});

test("an administrator without a password sets one from the account", async (t) => {
  const { page } = await open(t, { at: "/me" });
  await type(page, "Current password", "none yet");
  await type(page, "New password", PASSWORD);
  await type(page, "Repeat the new password", PASSWORD);
  await press(page, "button", "Change the password");
  await sees(page, "You have no password yet");
  await press(page, "button", "Set a new password");
  await holds(page, "location.pathname === '/reset-password'");
  await sees(page, "You sign in as admin", "10 characters or more");
  await holds(page, "document.activeElement.name === 'password'");
  await type(page, "Password", PASSWORD);
  await press(page, "button", "Set the password");
  await sees(page, "Recent activity");
});
