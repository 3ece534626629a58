import assert from "node:assert/strict";
import type http from "node:http";
import { type TestContext, test } from "node:test";
import type { Page } from "puppeteer-core";
import { launch } from "../../scripts/browser.ts";
import { SYSTEM } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { write } from "../../src/events/write.ts";
import { createServer } from "../../src/server/app.ts";
import { originalPage } from "../support/original-page.ts";
import { until } from "../support/receiver.ts";
import { serveAt } from "../support/serve-at.ts";
import { openServer } from "../support/server.ts";
import { UNLEASH_VERSIONS, type UnleashVersion, WITHOUT_PACKAGE } from "../support/unleash.ts";
import { holds, pressAt, pressText, sees, skip } from "./browser.ts";
import { approvers } from "./change-requests-world.ts";

/** A server that shows the original's page, and windows of its users. */
async function start(t: TestContext, version: UnleashVersion) {
  const { db, request } = await openServer(t, approvers());
  const { listener, streams } = createServer({ db, log: () => {} });
  t.after(() => streams.close());
  const url = await serveAt(t, "127.0.0.1", () => originalPage(version)(listener as http.RequestListener));
  const browser = await launch();
  t.after(() => browser.close());
  const signedIn = async (userId: number, path: string) => {
    const page = await (await browser.createBrowserContext()).newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(url + write(db, SYSTEM, (tx) => createSignInLink(tx, userId)));
    await page.goto(url + path);
    return page;
  };
  const isOn = () =>
    db.prepare("SELECT enabled FROM feature_environments WHERE environment = 'production'").pluck().get() ===
    1;
  return { request, signedIn, isOn };
}

/** Opens a menu by its button, and chooses its first item. */
async function choose(page: Page, button: string) {
  await pressAt(page, `button[aria-label="${button}"]`);
  await pressAt(page, "li[role=menuitem]");
}

for (const version of UNLEASH_VERSIONS)
  test(`the page of ${version}: a change is proposed by one, tried, approved and applied by the other`, {
    skip: skip || WITHOUT_PACKAGE,
  }, async (t) => {
    const { request, signedIn, isOn } = await start(t, version);
    const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
    const config = "/api/admin/projects/shop/environments/production/change-requests/config";
    assert.equal((await request(config, { method: "PUT", body })).status, 204);

    const page = await signedIn(1, "/projects/shop/features/checkout");
    await pressAt(page, "input[aria-label=production]");
    await pressText(page, "Add suggestion to draft");
    await pressText(page, "View changes (1)");
    await pressText(page, "Submit change request (1)");
    await sees(page, "Draft successfully sent to review");
    assert.equal(isOn(), false);

    const other = await signedIn(4, "/projects/shop/change-requests");
    await sees(other, "Change request #1");
    const link = await other.waitForSelector("td a[href$='change-requests/1']");
    const address = await link!.evaluate((element) => String((element as unknown as { href: string }).href));
    await other.goto(address); // a click may come before the list has written its filters into the address
    await choose(other, "review or reject changes");
    await sees(other, "Changes approved");
    await pressText(other, "Preview changes");
    await pressText(other, "Try configuration");
    await holds(other, "document.querySelector('td a[href$=checkout]') !== null");
    await other.goto(address);
    await choose(other, "apply or schedule changes");
    await until(isOn);
    await holds(other, "document.body.innerText.includes('Changes applied')");
  });
