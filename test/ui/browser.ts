import assert from "node:assert/strict";
import { after, test as nodeTest, type TestContext } from "node:test";
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { loadUi } from "#ui";
import { CHROMIUM, launch } from "../../scripts/browser.ts";
import { SYSTEM } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { write } from "../../src/events/write.ts";
import { listen } from "../../src/http/node-server.ts";
import { createServer } from "../../src/server/app.ts";
import { openServer } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";

/** Why browser tests are skipped; false if there is a browser. */
export const skip = CHROMIUM === undefined && "no Chromium is installed, and CHROMIUM names none";

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a process. */
const browser = () => (launched ??= launch());

after(async () => (await launched)?.close());

/**
 * Starts a server with the page, on a world, in memory or in a new file. `signedIn(userId)` opens a separate window,
 * signed in as a user.
 */
export async function openPage(t: TestContext, world: World = createWorld(), file?: string) {
  const windows: BrowserContext[] = [];
  t.after(() => Promise.all(windows.map((window) => window.close()))); // first, or they would query a closed database
  const { db, request } = await openServer(t, world, file);
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
  const openWindow = async () => {
    const context = await (await browser()).createBrowserContext();
    windows.push(context);
    return openIn(t, context, served.url);
  };
  const link = (userId: number) => served.url + write(db, SYSTEM, (tx) => createSignInLink(tx, userId));
  const signedIn = async (userId = 1) => {
    const page = await openWindow();
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
    openWindow,
    stopServer: () => stop(),
    startAgain,
  };
}

/** A test that needs the browser. */
export const test = (name: string, steps: (t: TestContext) => Promise<void>) =>
  nodeTest(name, { skip }, steps);

interface OpenOptions {
  world?: World;
  /** Whose window it is; the administrator's by default. */
  as?: number;
  /** The address that is open when it starts; the first view by default. */
  at?: string;
  /** The data file; in memory by default. */
  file?: string;
}

/** The same, with a window of a signed-in user, and what reads and changes things behind its back. */
export async function open(t: TestContext, { world, as, at, file }: OpenOptions = {}) {
  const opened = await openPage(t, world, file);
  const page = await opened.signedIn(as);
  if (at !== undefined) await visit(page, at);
  /** What the API answers to a GET, below `/api/admin`. */
  const read = async (path: string) => (await opened.request(`/api/admin${path}`)).body;
  /** Makes a change through the API, which has to succeed. */
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await opened.request(`/api/admin${path}`, { method, body });
    assert.equal(Math.trunc(reply.status / 100), 2, reply.text);
    return reply.body;
  };
  return { ...opened, page, read, send };
}

/** Logged by the browser itself for what the page handles: a 4xx or 503, a server that stops or is gone. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of (4\d\d|503)|net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING))/;

/** How long a window waits for anything: the machine may be busy. */
const TIMEOUT_MS = 60_000;

/** Opens a window. Errors in its console, requests to other hosts, and questions of the browser fail the test. */
async function openIn(t: TestContext, context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const isExpected = EXPECTED.test(message.text());
    if (["error", "warn"].includes(message.type()) && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => void problems.push(String(error)));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(url) || request.url().startsWith("data:"); // the browser's own icons
    if (!isOwn) problems.push(`requested ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    if (page.listenerCount("dialog") > 1) return; // the test expects it
    problems.push(`The browser asked (${dialog.type()})`);
    void dialog.accept();
  });
  page.setDefaultTimeout(TIMEOUT_MS);
  t.after(() => assert.deepEqual(problems, []));
  return page;
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
const POLLING_MS = 20;

/** Waits until the page shows each text, ignoring the direction marks around names. */
export async function sees(page: Page, ...texts: string[]) {
  for (const text of texts)
    await holds(
      page,
      `document.body.innerText.replaceAll(/[\\u2068\\u2069]/g, "").includes(${JSON.stringify(text)})`,
    );
}

/** Waits until no dialog is open. */
export const seesNoDialog = (page: Page) => holds(page, "document.querySelector('dialog') === null");

/** Opens an address of the page, and waits until all reads of the view have a response. */
export async function visit(page: Page, address: string) {
  await page.goto(new URL(address, page.url()).href);
  await holds(page, "document.querySelector('main:not([aria-busy=true]) h1') !== null");
}

type Role = "button" | "link" | "switch" | "checkbox";

/** Clicks elements one after the other, by their accessible role and names. */
export async function press(page: Page, role: Role, ...names: string[]) {
  for (const name of names) await pressAt(page, `::-p-aria([role="${role}"][name="${name}"])`);
}

/** Clicks the first element that matches a selector. */
export const pressAt = (page: Page, selector: string) => found(page, selector).click();

/** Clicks the element that shows a text, such as the label of a checkbox, even if it is scrolled out of sight. */
export async function pressText(page: Page, text: string) {
  const shown = await page.waitForSelector(`::-p-text(${text})`);
  await shown!.evaluate((element) => (element as unknown as { click(): void }).click());
}

/** Fills in the field with a label, replacing its value. */
export async function type(page: Page, label: string, text: string) {
  const field = `::-p-aria([name="${label}"])`;
  await found(page, field).fill(text);
  // It is emptied without an event, so that a rendering before the first letter shows the old value again.
  const shown = await page.$(field);
  const value = await shown?.evaluate((element) => (element as unknown as { value?: unknown }).value);
  if (typeof value === "string" && value !== text) await found(page, field).fill(text);
}

/** Doesn't wait for a stable position, which takes frames: a window in the background renders none. */
const found = (page: Page, selector: string) => page.locator(selector).setWaitForStableBoundingBox(false);

/** Waits until the field with a name has a value. */
export const hasValue = (page: Page, name: string, value: string) =>
  holds(page, `document.querySelector("[name=${name}]")?.value === ${JSON.stringify(value)}`);

/** Waits until the page is at an address. */
export const isAt = (page: Page, address: string) =>
  holds(page, `location.pathname + location.search === ${JSON.stringify(address)}`);

/** Waits until the menu names the user. */
export const isUsedBy = (page: Page, name: string) =>
  holds(page, `document.querySelector(".who bdi")?.textContent === ${JSON.stringify(name)}`);
