import type { Page } from "puppeteer-core";
import { RARE } from "../bench/dataset.ts";
import { type Figure, median } from "./figures.ts";

const ROUNDS = 5;

/** The id of the project with many flags. */
export const LARGE = "large";

/** A script that notes when the first rows appear. */
const WATCH = (rows: string) => `new MutationObserver(() => {
  if (window.shownAt === undefined && document.querySelector(${JSON.stringify(rows)})) window.shownAt = performance.now();
}).observe(document, { subtree: true, childList: true })`;

const LISTS = [
  {
    name: "5,000 flags",
    path: `/projects/${LARGE}`,
    asks: "/api/admin/search/features",
    rows: "main tbody tr",
  },
  {
    name: "5,000 flags, searched",
    path: `/projects/${LARGE}?query=4999`,
    asks: "/api/admin/search/features",
    rows: "main tbody tr",
  },
  { name: "log", path: "/events", asks: "/api/admin/search/events", rows: "main .event" },
  {
    name: "log, rare word",
    path: `/events?query=${RARE}`,
    asks: "/api/admin/search/events",
    rows: "main .event",
  },
];

/** Measures the time from requesting a list to showing its first rows, with the page itself cached. */
export async function measureLists(page: Page, url: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, path, asks, rows } of LISTS) {
    const script = await page.evaluateOnNewDocument(WATCH(rows));
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto(url + path);
      await page.waitForSelector(rows);
      times.push(Number(await page.evaluate(sinceRequest(asks))));
    }
    await page.removeScriptToEvaluateOnNewDocument(script.identifier);
    figures.push({ name: `first rows: ${name}`, value: median(times), most: 200, unit: "ms" });
  }
  return figures;
}

const sinceRequest = (asks: string) =>
  `shownAt - performance.getEntriesByType("resource").find(({ name }) => name.includes(${JSON.stringify(asks)})).startTime`;
