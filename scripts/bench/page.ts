import { spawn } from "node:child_process";
import type { Browser, Cookie, Page } from "puppeteer-core";
import { launch, serveDemo } from "../browser.ts";
import type { Context, Version } from "./context.ts";
import { ADMIN, RARE } from "./dataset.ts";
import { type Aim, aimTable, median } from "./figures.ts";
import { measureInteractions, measureShifts, measureSlowNetwork } from "./page-feel.ts";
import { stop } from "./process.ts";
import { companyOf, importInto, serve } from "./version.ts";

/** How often most things are measured. */
const ROUNDS = 5;

const FLAGS = 5000;

/** The id of the project with many flags. */
const LARGE = "large";

/** The first view is measured with the demo, the rest with a project of 5,000 flags and a long log. */
export async function run(context: Context) {
  const browser = await launch();
  const aims: Aim[] = [];
  try {
    const demo = await serveDemo();
    try {
      const page = await signedIn(browser, demo.link);
      const cookies = await browser.cookies();
      aims.push(...(await measureFirstView(browser, demo.url, cookies)));
      aims.push(await measureSlowNetwork(browser, demo.url, cookies));
      aims.push(await measureShifts(browser, demo.url, cookies));
      await page.close();
    } finally {
      await demo.stop();
    }
    const [version] = context.versions;
    const { file } = await companyOf(context, version!);
    await importInto(file, version!, largeProject());
    const server = await serve(version!, file);
    const page = await signedIn(browser, await signInLink(version!, file, server.url));
    aims.push(...(await measureLists(page, server.url)), await measureLag(page, server.url));
    aims.push(...(await measureInteractions(page, `${server.url}/projects/${LARGE}`)));
    aims.push(...(await measureMemory(page, server.url, context)));
    await stop(server);
  } finally {
    await browser.close();
  }
  context.print(aimTable(aims));
}

async function signedIn(browser: Browser, link: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(link);
  await page.waitForSelector("main h1");
  return page;
}

function* largeProject(): Generator<object> {
  const environments = ["development", "staging", "production"];
  yield { kind: "dataset", version: 1 };
  yield { kind: "project", id: LARGE, name: "Large", environments };
  for (let index = 0; index < FLAGS; index++) {
    const states = environments.map((name) => ({ name, strategies: [{ name: "default" }] }));
    yield { kind: "feature", name: `flag-${index}`, project: LARGE, environments: states };
  }
}

/** A link for the administrator of the company. */
async function signInLink({ script }: Version, file: string, url: string): Promise<string> {
  const args = [script, "user", "link", "user1", "--data", file, "--public-url", url];
  const { stdout } = spawn(process.execPath, args, { env: {}, stdio: ["ignore", "pipe", "ignore"] });
  return /http\S+/.exec(String(Buffer.concat(await stdout.toArray())))![0];
}

/** The size of the first view, and the time until it is usable with an empty cache. */
async function measureFirstView(browser: Browser, url: string, cookies: Cookie[]): Promise<Aim[]> {
  const views = [];
  for (let round = 0; round < ROUNDS; round++) views.push(await firstView(browser, url, cookies));
  const value = Math.max(...views.map(({ bytes }) => bytes)) / 1024;
  const ms = median(views.map((view) => view.ms));
  return [
    { name: "first view, compressed, without API responses", value, limit: 60, unit: "KiB" },
    { name: "usable in a cold browser", value: ms, limit: 1000, unit: "ms" },
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
  await page.waitForSelector("main .event");
  const ms = performance.now() - begin;
  await context.close();
  return { bytes, ms };
}

const FLAG_ROWS = { asks: "/api/admin/search/features", rows: "main tbody tr" };
const EVENT_ROWS = { asks: "/api/admin/search/events", rows: "main .event" };

const LISTS = [
  { name: "5,000 flags", path: `/projects/${LARGE}`, ...FLAG_ROWS },
  { name: "5,000 flags, searched", path: `/projects/${LARGE}?query=4999`, ...FLAG_ROWS },
  { name: "log", path: "/events", ...EVENT_ROWS },
  { name: "log, rare word", path: `/events?query=${RARE}`, ...EVENT_ROWS },
];

/** A script that notes when the first rows appear. */
const WATCH = (rows: string) => `new MutationObserver(() => {
  if (window.shownAt === undefined && document.querySelector(${JSON.stringify(rows)})) window.shownAt = performance.now();
}).observe(document, { subtree: true, childList: true })`;

/** The time from requesting a list to showing its first rows, with the page itself cached. */
async function measureLists(page: Page, url: string): Promise<Aim[]> {
  const aims: Aim[] = [];
  for (const { name, path: address, asks, rows } of LISTS) {
    const script = await page.evaluateOnNewDocument(WATCH(rows));
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto(url + address);
      await page.waitForSelector(rows);
      times.push(Number(await page.evaluate(sinceRequest(asks))));
    }
    await page.removeScriptToEvaluateOnNewDocument(script.identifier);
    aims.push({ name: `first rows: ${name}`, value: median(times), limit: 200, unit: "ms" });
  }
  return aims;
}

const sinceRequest = (asks: string) =>
  `shownAt - performance.getEntriesByType("resource").find(({ name }) => name.includes(${JSON.stringify(asks)})).startTime`;

const FLAG = `/projects/${LARGE}/features/flag-0`;

async function change(url: string, isOn: boolean) {
  const address = `${url}/api/admin${FLAG}/environments/development/${isOn ? "on" : "off"}`;
  const { status } = await fetch(address, { method: "POST", headers: { authorization: ADMIN } });
  if (status !== 200) throw new Error(`A change returned ${status}`);
}

/** The lag until a change made elsewhere shows on an open flag. */
async function measureLag(page: Page, url: string): Promise<Aim> {
  await page.goto(url + FLAG);
  await page.waitForSelector("[role=switch]");
  const times = [];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const isOn = round % 2 === 0;
    const begin = performance.now();
    await change(url, isOn);
    await page.waitForSelector(`.environment [role=switch][aria-checked=${isOn}]`);
    times.push(performance.now() - begin);
  }
  return { name: "lag of a change made elsewhere", value: median(times), limit: 1000, unit: "ms" };
}

/** One per second of an hour, in parts; the heap after the first one is the baseline, with code and caches loaded. */
const CHANGES = 3600;
const PARTS = 4;

/** How much faster time passes in the tab, which polls at most twice per second of its own time. */
const SPEED = 20;

const FASTER = `{
  const [later, now] = [window.setTimeout, performance.now.bind(performance)];
  window.setTimeout = (act, ms, ...given) => later(act, ms / ${SPEED}, ...given);
  performance.now = () => now() * ${SPEED};
}`;

/** The growth of the heap of a tab that shows the log during an hour of changes. */
async function measureMemory(page: Page, url: string, { print, progress }: Context): Promise<Aim[]> {
  await page.evaluateOnNewDocument(FASTER);
  await page.goto(`${url}/events`);
  await page.waitForSelector("main .event");
  let reads = 0;
  page.on("request", (request) => void (request.url().includes("/search/events") && reads++));
  const sizes = [];
  for (let part = 1; part <= PARTS; part++) {
    progress(`an hour of changes, part ${part} of ${PARTS}`);
    for (let number = 0; number < CHANGES / PARTS; number++) await change(url, number % 2 === 0);
    sizes.push(await heap(page));
  }
  const shown = sizes.map((size) => size.toFixed(1)).join(", ");
  print(
    `heap after each quarter of an hour, ${CHANGES} changes and ${reads} reads of the log: ${shown} MiB\n`,
  );
  const [first = 0] = sizes;
  return [
    { name: "heap after an hour of changes", value: sizes.at(-1)!, limit: 32, unit: "MiB" },
    { name: "growth since the first quarter", value: sizes.at(-1)! - first, limit: 2, unit: "MiB" },
  ];
}

/** The size of the live heap, in MiB. */
async function heap(page: Page): Promise<number> {
  const client = await page.createCDPSession();
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  await client.detach();
  return usedSize / 1024 ** 2;
}
