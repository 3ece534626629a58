import type { Browser, Cookie, Page } from "puppeteer-core";
import { type Aim, median } from "./figures.ts";

/*
 * What a user feels of the page: how long a slow network takes, what moves while it loads, and how soon it answers.
 */

const ROUNDS = 3;

/** A distant server: the latency in milliseconds, and 1.5 Mbit/s in bytes per second. */
const SLOW = { latency: 400, download: 187_500, upload: 187_500 };

/** The time until a project of the demo is usable over a slow network, with nothing in the cache. */
export async function measureSlowNetwork(browser: Browser, url: string, cookies: Cookie[]): Promise<Aim> {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await browser.createBrowserContext();
    await context.setCookie(...cookies);
    const page = await context.newPage();
    await page.emulateNetworkConditions(SLOW);
    const begin = performance.now();
    void page.goto(`${url}/projects/checkout`).catch(() => {}); // it is left before it has loaded all
    await page.waitForSelector("main [role=switch]:enabled");
    times.push(performance.now() - begin);
    await context.close();
  }
  return {
    name: "a project is usable at 400 ms and 1.5 Mbit/s",
    value: median(times),
    limit: 4000,
    unit: "ms",
  };
}

const VIEWS = [
  "/",
  "/projects",
  "/flags",
  "/projects/checkout",
  "/projects/checkout/insights",
  "/projects/checkout/features/payment-redesign",
  "/projects/checkout/features/payment-redesign/use",
  "/events",
  "/playground",
  "/applications",
  "/integrations",
  "/people",
];

/** Adds up how far things move by themselves, as the layout shift of the Web Vitals. */
const SHIFTS = `window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Over a network slow enough that every answer comes by itself. */
const DISTANT = { ...SLOW, latency: 100, download: 1_000_000 };

/** The largest layout shift of a view of the demo while it loads. */
export async function measureShifts(browser: Browser, url: string, cookies: Cookie[]): Promise<Aim> {
  const context = await browser.createBrowserContext();
  await context.setCookie(...cookies);
  const page = await context.newPage();
  await page.evaluateOnNewDocument(SHIFTS);
  await page.emulateNetworkConditions(DISTANT);
  const shifts: Array<[view: string, shift: number]> = [];
  for (const view of VIEWS) {
    await page.goto(url + view);
    await page.waitForSelector(".bell"); // comes once the view has all it needs
    shifts.push([view, Number(await page.evaluate("window.shift"))]);
  }
  await context.close();
  const [view, value] = shifts.toSorted(([, a], [, b]) => b - a)[0]!;
  return { name: `largest layout shift: ${view}`, value, limit: 0.1, unit: "" };
}

/** Notes how long each interaction takes until the next frame is shown. */
const INTERACTIONS = `window.slowest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.interactionId) window.slowest = Math.max(window.slowest, entry.duration);
}).observe({ type: "event", durationThreshold: 16 });`;

/** How long the slowest interaction takes in a project of 5,000 flags, and the palette to answer. */
export async function measureInteractions(page: Page, project: string): Promise<Aim[]> {
  await page.evaluateOnNewDocument(INTERACTIONS);
  await page.goto(project);
  await page.waitForSelector("main [role=switch]");
  for (const selector of ["main [role=switch]", "th button.sort", "thead input", "main input[type=search]"])
    await page.click(selector);
  await page.keyboard.type("flag-49");
  await page.waitForSelector("main:not([aria-busy=true]) [role=switch]");
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("[role=combobox]:focus");
  const answers = [];
  for (let round = 0; round < 5 * ROUNDS; round++)
    answers.push(Number(await page.evaluate(answerTo(`flag-${round * 300 + 17}`))));
  await page.keyboard.press("Escape");
  const value = Number(await page.evaluate("window.slowest"));
  return [
    { name: "palette answers", value: median(answers), limit: 50, unit: "ms" },
    { name: "slowest interaction", value, limit: 100, unit: "ms" },
  ];
}

/** Types a flag's name at once. @returns a script that resolves to the milliseconds until it is the first result */
const answerTo = (name: string) => `new Promise((resolve) => {
  const field = document.querySelector("[role=combobox]");
  const begin = performance.now();
  const look = () => document.querySelector("[role=option] bdi")?.textContent === "${name}" && resolve(performance.now() - begin);
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  field.value = "${name}";
  field.dispatchEvent(new Event("input", { bubbles: true }));
})`;
