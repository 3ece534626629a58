import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { BrowserContext, Page } from "puppeteer-core";

/** Said by the browser itself of what the page takes care of: an answer of 4xx, a server that stops or is gone. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of (4\d\d|503)|net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING))/;

/** How long a window waits for what is to come: a machine may have other work. */
const PATIENCE_MS = 60_000;

/** A window that shares nothing with others. What its console says of errors, and what it asks elsewhere, fails the test. */
export async function openWindow(t: TestContext, context: BrowserContext, url: string): Promise<Page> {
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
  page.setDefaultTimeout(PATIENCE_MS);
  t.after(() => assert.deepEqual(problems, []));
  return page;
}
