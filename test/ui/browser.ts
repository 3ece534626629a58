import { after, type TestContext } from "node:test";
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { loadUi } from "#ui";
import { CHROMIUM, launch } from "../../scripts/browser.ts";
import { SYSTEM } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session.ts";
import { write } from "../../src/events/write.ts";
import { listen } from "../../src/http/listen.ts";
import { createServer } from "../../src/server/create-server.ts";
import { openServer } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";
import { openWindow } from "./window.ts";

/** Why browser tests are skipped; false if there is a browser. */
export const skip = CHROMIUM === undefined && "no Chromium is installed, and CHROMIUM names none";

let launched: Promise<Browser> | undefined;

/** One browser for all tests, since `npm run test:ui` runs them in one process. */
const browser = () => (launched ??= launch());

after(async () => (await launched)?.close());

/** Starts a server with the page, on a world. `signedIn(userId)` opens a separate window, signed in as a user. */
export async function openPage(t: TestContext, world: World = createWorld()) {
  const windows: BrowserContext[] = [];
  t.after(() => Promise.all(windows.map((window) => window.close()))); // first, or they would query a closed database
  const { db, request } = await openServer(t, world);
  const serve = async (port: number) => {
    const log = () => {};
    const { listener, streams } = createServer({ db, log, ui: loadUi });
    const { url, close } = await listen(listener, { host: "127.0.0.1", port, log });
    const stop = () => {
      streams.close();
      return close();
    };
    return { url, stop };
  };
  const served = await serve(0);
  let { stop } = served;
  t.after(() => stop());
  const open = async () => {
    const context = await (await browser()).createBrowserContext();
    windows.push(context);
    return openWindow(t, context, served.url);
  };
  const link = (userId: number) => served.url + write(db, SYSTEM, (tx) => createSignInLink(tx, userId));
  const signedIn = async (userId = 1) => {
    const page = await open();
    await page.goto(link(userId));
    await page.waitForSelector("main h1");
    return page;
  };
  /** Starts the server again at the same address. */
  const startAgain = async () => {
    ({ stop } = await serve(Number(new URL(served.url).port)));
  };
  return {
    db,
    request,
    url: served.url,
    link,
    signedIn,
    openWindow: open,
    stopServer: () => stop(),
    startAgain,
  };
}

/** Waits until an expression is true in the page; if it never is, the error says what the page shows instead. */
export async function holds(page: Page, expression: string) {
  try {
    await page.waitForFunction(expression, { polling: POLLING_MS });
  } catch (cause) {
    const shown = await page.evaluate("document.body.innerText").catch(String);
    throw new Error(`This was never true: ${expression}\nat ${page.url()}, which shows:\n${shown}`, {
      cause,
    });
  }
}

/** Polls by time rather than by frame, since a window in the background renders no frames. */
const POLLING_MS = 50;

/** Waits until the page shows a text, ignoring the direction marks around names. */
export const sees = (page: Page, text: string) =>
  holds(
    page,
    `document.body.innerText.replaceAll(/[\\u2068\\u2069]/g, "").includes(${JSON.stringify(text)})`,
  );

/** Waits until no dialog is open. */
export const seesNoDialog = (page: Page) => holds(page, "document.querySelector('dialog') === null");

/** Opens an address of the page, and waits until all reads of the view have a response. */
export async function visit(page: Page, address: string) {
  await page.goto(new URL(address, page.url()).href);
  await holds(page, "document.querySelector('main:not([aria-busy=true]) h1') !== null");
}

/** Clicks an element by its accessible role and name. */
export const press = (page: Page, role: "button" | "link" | "switch" | "checkbox", name: string) =>
  pressAt(page, `::-p-aria([role="${role}"][name="${name}"])`);

/** Clicks the first element that matches a selector. */
export const pressAt = (page: Page, selector: string) => found(page, selector).click();

/** Clicks the element that shows a text, such as the label of a checkbox, even if it is scrolled out of sight. */
export async function pressText(page: Page, text: string) {
  const shown = await page.waitForSelector(`::-p-text(${text})`);
  await shown!.evaluate((element) => (element as unknown as { click(): void }).click());
}

/** Fills in the field with a label, replacing its value. */
export const type = (page: Page, label: string, text: string) =>
  found(page, `::-p-aria([name="${label}"])`).fill(text);

/** Doesn't wait for a stable position, which takes frames: a window in the background renders none. */
const found = (page: Page, selector: string) => page.locator(selector).setWaitForStableBoundingBox(false);
