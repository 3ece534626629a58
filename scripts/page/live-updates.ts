import type { Page } from "puppeteer-core";
import { ADMIN } from "../bench/dataset.ts";
import { type Figure, median } from "./figures.ts";
import { LARGE } from "./long-lists.ts";

const ROUNDS = 10;

/** As many as an hour has seconds, in so many parts of which the first is not counted: code and caches come to be there. */
const CHANGES = 3600;
const PARTS = 4;

/** How much faster than usual time passes in the tab: it asks no more often than twice a second of its own. */
const SPEED = 20;

const FASTER = `{
  const [later, now] = [window.setTimeout, performance.now.bind(performance)];
  window.setTimeout = (act, ms, ...given) => later(act, ms / ${SPEED}, ...given);
  performance.now = () => now() * ${SPEED};
}`;

const FLAG = `/projects/${LARGE}/features/flag-0`;

async function change(url: string, isOn: boolean) {
  const address = `${url}/api/admin${FLAG}/environments/development/${isOn ? "on" : "off"}`;
  const { status } = await fetch(address, { method: "POST", headers: { authorization: ADMIN } });
  if (status !== 200) throw new Error(`A change was answered with ${status}`);
}

/** How soon another's change shows on a flag that is open. */
export async function measureLag(page: Page, url: string): Promise<Figure> {
  await page.goto(url + FLAG);
  await page.waitForSelector("[role=switch]");
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const isOn = round % 2 === 0;
    const begin = performance.now();
    await change(url, isOn);
    await page.waitForSelector(`.environment [role=switch][aria-checked=${isOn}]`);
    times.push(performance.now() - begin);
  }
  return { name: "another's change shows after", value: median(times), most: 1000, unit: "ms" };
}

/** What a tab that shows the log comes to hold in an hour of changes. */
export async function measureMemory(page: Page, url: string): Promise<Figure[]> {
  await page.evaluateOnNewDocument(FASTER);
  await page.goto(`${url}/events`);
  await page.waitForSelector("main .event");
  let asked = 0;
  page.on("request", (request) => void (request.url().includes("/search/events") && asked++));
  const sizes = [];
  for (let part = 0; part < PARTS; part++) {
    for (let number = 0; number < CHANGES / PARTS; number++) await change(url, number % 2 === 0);
    sizes.push(await heap(page));
  }
  const [first = 0] = sizes;
  process.stdout.write(`heap by quarters of an hour, ${CHANGES} changes and ${asked} reads of the log: `);
  process.stdout.write(`${sizes.map((size) => size.toFixed(1)).join(", ")} MiB\n`);
  return [
    { name: "heap after an hour of changes", value: sizes.at(-1)!, most: 32, unit: "MiB" },
    { name: "of which grown since the first quarter", value: sizes.at(-1)! - first, most: 2, unit: "MiB" },
  ];
}

/** In MiB, of what is still in use. */
async function heap(page: Page): Promise<number> {
  const client = await page.createCDPSession();
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  await client.detach();
  return usedSize / 1024 ** 2;
}
