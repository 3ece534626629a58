import type { Page } from "puppeteer-core";
import { ADMIN } from "../bench/dataset.ts";
import { type Figure, median } from "./figures.ts";
import { LARGE } from "./long-lists.ts";

const ROUNDS = 10;

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

const FLAG = `/projects/${LARGE}/features/flag-0`;

async function change(url: string, isOn: boolean) {
  const address = `${url}/api/admin${FLAG}/environments/development/${isOn ? "on" : "off"}`;
  const { status } = await fetch(address, { method: "POST", headers: { authorization: ADMIN } });
  if (status !== 200) throw new Error(`A change returned ${status}`);
}

/** The lag until a change made elsewhere shows on an open flag. */
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
  return { name: "lag of a change made elsewhere", value: median(times), most: 1000, unit: "ms" };
}

/** The growth of the heap of a tab that shows the log during an hour of changes. */
export async function measureMemory(page: Page, url: string): Promise<Figure[]> {
  await page.evaluateOnNewDocument(FASTER);
  await page.goto(`${url}/events`);
  await page.waitForSelector("main .event");
  let reads = 0;
  page.on("request", (request) => void (request.url().includes("/search/events") && reads++));
  const sizes = [];
  for (let part = 0; part < PARTS; part++) {
    for (let number = 0; number < CHANGES / PARTS; number++) await change(url, number % 2 === 0);
    sizes.push(await heap(page));
  }
  const [first = 0] = sizes;
  process.stdout.write(
    `heap after each quarter of an hour, ${CHANGES} changes and ${reads} reads of the log: `,
  );
  process.stdout.write(`${sizes.map((size) => size.toFixed(1)).join(", ")} MiB\n`);
  return [
    { name: "heap after an hour of changes", value: sizes.at(-1)!, most: 32, unit: "MiB" },
    { name: "growth since the first quarter", value: sizes.at(-1)! - first, most: 2, unit: "MiB" },
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
