import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { holds, open, press, pressAt, sees, test } from "./browser.ts";

const at = (day: number) => ({ createdAt: new Date(Date.UTC(2025, 0, day)).toISOString(), project: "a" });

const LONG = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, index]));

/** Presses the pointer at the middle of a bar, and lets it go at the middle of another. */
async function drag(page: Page, from: number, to: number) {
  const points = await page.$$eval(".plot .bars > span", (bars) =>
    bars.map((bar) => {
      const { x, y, width, height } = bar.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }),
  );
  await page.mouse.move(points[from]!.x, points[from]!.y);
  await page.mouse.down();
  await page.mouse.move(points[to]!.x, points[to]!.y, { steps: 3 });
  await page.mouse.up();
  await page.mouse.move(0, 0); // else it would show the bar that it points to
}

test("the log's histogram selects days, says its numbers as a table, and follows the filters", async (t) => {
  const world = createWorld().project("a");
  for (let day = 1; day <= 9; day++) world.event({ ...at(day), featureName: day % 2 ? "odd" : "even" });
  const { page } = await open(t, { world, at: "/events?to=2025-01-09" });
  await sees(page, "9 events");
  await drag(page, 6, 3);
  await sees(page, "4 events");
  assert.match(page.url(), /from=2025-01-04&?/);
  assert.match(page.url(), /to=2025-01-07/);
  await sees(page, "1–4 of 4");
  await pressAt(page, ".chart summary");
  await sees(page, "4 Jan 2025");
  await page.goto(`${page.url()}&feature=odd`);
  await sees(page, "2 events", "1–2 of 2");
});

test("a difference shows what is near a change, and all of it on request", async (t) => {
  const world = createWorld()
    .project("a")
    .event({ ...at(1), preData: { ...LONG, field1: "x", field18: "y" }, data: LONG });
  const { page } = await open(t, { world, at: "/events?open=1" });
  await holds(page, "document.querySelectorAll('.differences .gap').length === 1");
  assert.doesNotMatch(await page.$eval(".differences", (table) => table.textContent!), /field10/);
  await press(page, "button", "Show all 22 lines");
  await sees(page, '"field10": 10');
});
