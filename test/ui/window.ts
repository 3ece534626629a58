import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { BrowserContext, Page } from "puppeteer-core";

/** Logged by the browser itself for what the page handles: a 4xx or 503, a server that stops or is gone. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of (4\d\d|503)|net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING))/;

/** How long a window waits for anything: the machine may be busy. */
const TIMEOUT_MS = 60_000;

/** Opens a window. Errors in its console, requests to other hosts, and questions of the browser fail the test. */
export async function openWindow(t: TestContext, context: BrowserContext, url: string): Promise<Page> {
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
