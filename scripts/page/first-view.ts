import type { Browser, Cookie } from "puppeteer-core";
import { type Figure, median } from "./figures.ts";

const ROUNDS = 5;

/** Measures the size of the first view, and the time until it is usable with an empty cache. */
export async function measureFirstView(browser: Browser, url: string, cookies: Cookie[]): Promise<Figure[]> {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await firstView(browser, url, cookies));
  const bytes = Math.max(...rounds.map((one) => one.bytes));
  return [
    {
      name: "first view, compressed, without API responses",
      value: bytes / 1024,
      most: 120,
      unit: "KiB",
    },
    { name: "usable in a cold browser", value: median(rounds.map(({ ms }) => ms)), most: 1000, unit: "ms" },
  ];
}

/** Opens the page in a new browser context, whose cache is empty. */
async function firstView(browser: Browser, url: string, cookies: Cookie[]) {
  const context = await browser.createBrowserContext();
  await context.setCookie(...cookies);
  const page = await context.newPage();
  const client = await page.createCDPSession();
  await client.send("Network.enable");
  const urls = new Map<string, string>();
  let bytes = 0;
  client.on("Network.requestWillBeSent", ({ requestId, request }) => void urls.set(requestId, request.url));
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!new URL(urls.get(requestId)!).pathname.startsWith("/api/")) bytes += encodedDataLength;
  });
  const begin = performance.now();
  await page.goto(url);
  await page.waitForSelector("main table");
  const ms = performance.now() - begin;
  await context.close();
  return { bytes, ms };
}
