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
import { openWindow } from "./window.ts";

/** Why a test that needs a browser is left out; false where there is one. */
export const skip = CHROMIUM === undefined && "no Chromium is installed, and CHROMIUM names none";

let launched: Promise<Browser> | undefined;

/** One for all tests, which `npm run test:ui` runs in one process. */
const browser = () => (launched ??= launch());

after(async () => (await launched)?.close());

/** A server with the page, on a world. `signedIn(userId)` opens a browser's window of its own for a user. */
export async function openPage(t: TestContext, world: World = createWorld()) {
  const windows: BrowserContext[] = [];
  t.after(() => Promise.all(windows.map((one) => one.close()))); // first, or they would ask a file that is closed
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
  /** The server at the same address, after it was gone. */
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

/** Waits until an expression holds in the page; if it never does, the error says what the page shows instead. */
export async function holds(page: Page, expression: string) {
  try {
    await page.waitForFunction(expression, { polling: POLLING_MS });
  } catch (cause) {
    const shown = await page.evaluate("document.body.innerText").catch(String);
    throw new Error(`This never held: ${expression}\nat ${page.url()}, which shows:\n${shown}`, { cause });
  }
}

/** Not at each frame: a window that is not in front has none. */
const POLLING_MS = 50;

/** Waits until the page shows a text; marks of direction around names are passed over. */
export const sees = (page: Page, text: string) =>
  holds(
    page,
    `document.body.innerText.replaceAll(/[\\u2068\\u2069]/g, "").includes(${JSON.stringify(text)})`,
  );

/** Waits until no dialog is open. */
export const seesNoDialog = (page: Page) => holds(page, "document.querySelector('dialog') === null");

/** Goes to an address below the page's own, and waits until all that the view asks for has been answered. */
export async function visit(page: Page, address: string) {
  await page.goto(new URL(address, page.url()).href);
  await holds(page, "document.querySelector('main:not([aria-busy=true]) h1') !== null");
}

/** Presses what has a name, as somebody would who can't see it. */
export const press = (page: Page, role: "button" | "link" | "switch" | "checkbox", name: string) =>
  pressAt(page, `::-p-aria([role="${role}"][name="${name}"])`);

/** Presses what a selector finds first. */
export const pressAt = (page: Page, selector: string) => found(page, selector).click();

/** Presses what shows a text, such as the label of a box, wherever it has to be scrolled to. */
export async function pressText(page: Page, text: string) {
  const shown = await page.waitForSelector(`::-p-text(${text})`);
  await shown!.evaluate((one) => (one as unknown as { click(): void }).click());
}

/** Types into the field with a label, over what is there. */
export const type = (page: Page, label: string, text: string) =>
  found(page, `::-p-aria([name="${label}"])`).fill(text);

/** Something that may move still: whether it does is told by frames, which a window that is not in front has none of. */
const found = (page: Page, selector: string) => page.locator(selector).setWaitForStableBoundingBox(false);
