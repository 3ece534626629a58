import assert from "node:assert/strict";
import { TOTP } from "otpauth";
import type { Page } from "puppeteer-core";
import { SYSTEM } from "../../src/access/actor.ts";
import { hashPassword } from "../../src/access/password-hash.ts";
import { write } from "../../src/events/write.ts";
import { setPassword } from "../../src/people/passwords.ts";
import { requireFactorOf } from "../../src/people/second-factor-store.ts";
import { isUsedBy, open, openPage, press, sees, test, type, visit } from "./browser.ts";

const PASSWORD = "correct horse battery staple";
const CODE = "Code of your authenticator app";

/** The code that an app with the key on the page shows. @param steps later than now, of 30 seconds */
async function codeShown(page: Page, steps = 0) {
  await sees(page, "Add this key");
  const key = await page.$eval(".secret pre", (shown) => shown.textContent ?? "");
  assert.match(key, /^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
  const totp = new TOTP({ secret: key.replaceAll(" ", "") });
  return totp.generate({ timestamp: Date.now() + steps * 30_000 });
}

test("a user adds an authenticator app, keeps the recovery codes, and removes it with one", async (t) => {
  const { page, db } = await open(t);
  const hash = await hashPassword(PASSWORD);
  write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash }));
  await visit(page, "/");
  await type(page, "Username or e-mail address", "admin");
  await type(page, "Password", PASSWORD);
  await press(page, "button", "Sign in");
  await isUsedBy(page, "admin");
  await visit(page, "/me");
  await type(page, "Your password", PASSWORD);
  await press(page, "button", "Set up an app");
  await type(page, CODE, await codeShown(page));
  await press(page, "button", "Add the second factor");
  await sees(page, "only once");
  const [recovery = ""] = (await page.$eval(".secret pre", (shown) => shown.textContent ?? "")).split("\n");
  await sees(page, "10 recovery codes");
  await type(page, CODE, recovery);
  await press(page, "button", "Remove the second factor");
  await sees(page, "Set up an app");
});

test("a role that requires an app is asked for it at the sign-in", async (t) => {
  const { db, url, openWindow } = await openPage(t);
  const hash = await hashPassword(PASSWORD);
  write(db, SYSTEM, (tx) => setPassword(tx, 1, { hash }));
  requireFactorOf(db, [1]);
  const page = await openWindow();
  await page.goto(`${url}/projects`);
  await type(page, "Username or e-mail address", "admin");
  await type(page, "Password", PASSWORD);
  await press(page, "button", "Sign in");
  const [now, next] = [await codeShown(page), await codeShown(page, 1)];
  await type(page, CODE, now);
  await press(page, "button", "Sign in");
  await sees(page, "only once");
  await press(page, "button", "Continue");
  await sees(page, "New project");

  const again = await openWindow();
  await again.goto(`${url}/projects`);
  await type(again, "Username or e-mail address", "admin");
  await type(again, "Password", PASSWORD);
  await press(again, "button", "Sign in");
  await type(again, CODE, "000000");
  await press(again, "button", "Sign in");
  await sees(again, "Is wrong, or was used already");
  await type(again, CODE, next);
  await press(again, "button", "Sign in");
  await sees(again, "New project");
});
