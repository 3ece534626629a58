import assert from "node:assert/strict";
import { after, type TestContext } from "node:test";
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { loadUi } from "#ui";
import { CHROMIUM, launch } from "../../scripts/page/browser.ts";
import { SYSTEM } from "../../src/auth/actor.ts";
import { createSignInLink } from "../../src/auth/sign-in-link.ts";
import { write } from "../../src/events/write.ts";
import { listen } from "../../src/http/listen.ts";
import { createServer } from "../../src/server/create-server.ts";
import { openServer } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";

/** Why a test that needs a browser is left out; false where there is one. */
export const skip = CHROMIUM === undefined && "no Chromium is installed, and CHROMIUM names none";

let launched: Promise<Browser> | undefined;

const browser = () => (launched ??= launch());

after(async () => (await launched)?.close());

/** A server with the page, on a world. `signedIn(userId)` opens a browser's window of its own for a user. */
export async function openPage(t: TestContext, world: World = createWorld()) {
  const windows: BrowserContext[] = [];
  t.after(() => Promise.all(windows.map((one) => one.close()))); // first, or they would ask a file that is closed
  const { db, request } = await openServer(t, world);
  const log = () => {};
  const { listener, streams } = createServer({ db, log, ui: loadUi });
  const listening = await listen(listener, { host: "127.0.0.1", port: 0, log });
  t.after(() => {
    streams.close();
    return listening.close();
  });
  const open = async () => {
    const context = await (await browser()).createBrowserContext();
    windows.push(context);
    return openWindow(t, context, listening.url);
  };
  const link = (userId: number) => listening.url + write(db, SYSTEM, (tx) => createSignInLink(tx, userId));
  const signedIn = async (userId = 1) => {
    const page = await open();
    await page.goto(link(userId));
    await page.waitForSelector("main h1");
    return page;
  };
  return { db, request, url: listening.url, link, signedIn, openWindow: open };
}

/** Said by the browser itself of what the page takes care of: an answer of 4xx, no server. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED))/;

/** A window that shares nothing with others. What its console says of errors, and what it asks elsewhere, fails the test. */
async function openWindow(t: TestContext, context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const isExpected = EXPECTED.test(message.text());
    if (["error", "warn"].includes(message.type()) && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => void problems.push(String(error)));
  page.on("request", (asked) => {
    const isOwn = asked.url().startsWith(url) || asked.url().startsWith("data:"); // the browser's own icons
    if (!isOwn) problems.push(`asked for ${asked.url()}`);
  });
  page.setDefaultTimeout(30_000); // a machine may have other work
  t.after(() => assert.deepEqual(problems, []));
  return page;
}

/** Waits until the page shows a text; marks of direction around names are passed over. */
export const sees = (page: Page, text: string) =>
  page.waitForFunction(
    `document.body.innerText.replaceAll(/[\\u2068\\u2069]/g, "").includes(${JSON.stringify(text)})`,
    { polling: POLLING_MS },
  );

/** Not at each frame: a window that is not in front has none. */
const POLLING_MS = 50;

/** Presses what has a name, as somebody would who can't see it. */
export const press = (page: Page, role: "button" | "link" | "switch" | "checkbox", name: string) =>
  found(page, `::-p-aria([role="${role}"][name="${name}"])`).click();

/** Presses what shows a text, such as the label of a box, wherever it has to be scrolled to. */
export const pressText = (page: Page, text: string) =>
  page.$eval(`::-p-text(${text})`, (shown) => (shown as unknown as { click(): void }).click());

/** Types into the field with a label, over what is there. */
export const type = (page: Page, label: string, text: string) =>
  found(page, `::-p-aria([name="${label}"])`).fill(text);

/** Something that may move still: whether it does is told by frames, which a window that is not in front has none of. */
const found = (page: Page, selector: string) => page.locator(selector).setWaitForStableBoundingBox(false);
