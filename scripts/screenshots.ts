import fs from "node:fs";
import path from "node:path";
import type { Page } from "puppeteer-core";
import { launch, serveDemo } from "./browser.ts";

// `npm run screenshots`: takes the pictures of README.md and docs/tour.md, from the demo.

const FOLDER = path.resolve(import.meta.dirname, "../docs/pictures");

interface Picture {
  name: string;
  path: string;
  /** What there is once the view is complete. */
  waitFor: string;
  /** What is typed into the palette. */
  find?: string;
  /** What to click, and what there is then. */
  open?: readonly [click: string, opened: string];
}

const PICTURES: readonly Picture[] = [
  { name: "flag", path: "/projects/checkout/features/payment-redesign", waitFor: ".log li" },
  { name: "project", path: "/projects/checkout?state=active", waitFor: "main [role=switch]" },
  { name: "palette", path: "/projects/checkout", waitFor: "main [role=switch]", find: "payment off prod" },
  { name: "insights", path: "/projects/checkout/insights", waitFor: ".chart .bars span" },
  {
    name: "playground",
    path: "/playground?environments=development,staging,production&query=payment",
    waitFor: "td details",
    open: ["td summary", "details[open]"],
  },
  {
    name: "log",
    path: "/events?query=rollout",
    waitFor: ".event",
    open: [".event button", ".differences"],
  },
];

const demo = await serveDemo();
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 660, deviceScaleFactor: 0.8 });
  await page.goto(demo.link);
  await page.waitForSelector("main h1");
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const picture of PICTURES) await take(page, picture, scheme === "dark" ? "-dark" : "");
  }
} finally {
  await browser.close();
  await demo.stop();
}

async function take(page: Page, { name, path: address, waitFor, find, open }: Picture, suffix: string) {
  await page.goto(demo.url + address);
  await page.waitForSelector(waitFor);
  await page.waitForSelector(".bell"); // comes once the view has all it needs
  if (open) {
    await page.click(open[0]);
    await page.waitForSelector(open[1]);
  }
  if (find !== undefined) {
    await page.click("button.find");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type(find);
    await page.waitForFunction("document.querySelector('[role=option]')?.innerText.startsWith('Turn')");
  }
  const file = path.join(FOLDER, `${name}${suffix}.png`) as `${string}.png`;
  await page.screenshot({ path: file, optimizeForSpeed: false });
  process.stdout.write(`${file} ${Math.ceil(fs.statSync(file).size / 1024)} KiB\n`);
}
