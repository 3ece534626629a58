import { launch } from "./browser.ts";
import { serveDemo } from "./demo.ts";

// `npm run bench:page`: what the first view weighs, and how soon it can be used in a browser that was never there.

/** In bytes, compressed, with all that the first view asks for but what the API answers. */
const HEAVIEST = 120 * 1024;
/** In milliseconds. */
const LONGEST = 1000;
const ROUNDS = 5;

const demo = await serveDemo();
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(demo.link);
  await page.waitForSelector("main h1");
  const cookies = await browser.cookies();
  await page.close();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await firstView(cookies));
  const bytes = Math.max(...rounds.map((one) => one.bytes));
  const ms = rounds.map((one) => one.ms).toSorted((a, b) => a - b);
  const median = ms[Math.floor(ROUNDS / 2)]!;
  process.stdout.write(
    `first view: ${(bytes / 1024).toFixed(1)} KiB compressed (at most ${HEAVIEST / 1024})\n`,
  );
  process.stdout.write(
    `usable after: ${median.toFixed(0)} ms, the median of ${ROUNDS} (at most ${LONGEST})\n`,
  );
  process.exitCode = bytes <= HEAVIEST && median <= LONGEST ? 0 : 1;
} finally {
  await browser.close();
  await demo.stop();
}

/** In a window of its own, whose cache is empty. */
async function firstView(cookies: Awaited<ReturnType<typeof browser.cookies>>) {
  const context = await browser.createBrowserContext();
  await context.setCookie(...cookies);
  const page = await context.newPage();
  const client = await page.createCDPSession();
  await client.send("Network.enable");
  const kinds = new Map<string, string>();
  let bytes = 0;
  client.on("Network.requestWillBeSent", ({ requestId, request }) => void kinds.set(requestId, request.url));
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!new URL(kinds.get(requestId)!).pathname.startsWith("/api/")) bytes += encodedDataLength;
  });
  const begin = performance.now();
  await page.goto(demo.url);
  await page.waitForSelector("main table");
  const ms = performance.now() - begin;
  await context.close();
  return { bytes, ms };
}
