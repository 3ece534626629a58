import fs from "node:fs";
import path from "node:path";
import type { Page } from "puppeteer-core";
import { launch, serveDemo } from "./browser.ts";

// `npm run screenshots`: takes the pictures of README.md and docs/tour.md, from the demo.

const FOLDER = path.resolve(import.meta.dirname, "../docs/pictures");

const PICTURES = [
  { name: "flag", path: "/projects/checkout/features/payment-redesign", waitFor: ".strategy" },
  { name: "project", path: "/projects/checkout?state=active", waitFor: "[role=switch]" },
  { name: "use", path: "/projects/checkout/features/payment-redesign/use", waitFor: ".chart .bars span" },
  {
    name: "playground",
    path: "/playground?environments=development,staging,production&query=payment",
    waitFor: "td details",
    open: "td summary",
    opened: "details[open]",
  },
  { name: "deliveries", path: "/integrations/1", waitFor: "main table" },
  {
    name: "log",
    path: "/events?query=rollout",
    waitFor: ".event",
    open: ".event button",
    opened: ".differences",
  },
] as const;

const demo = await serveDemo();
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 660, deviceScaleFactor: 0.8 });
  await page.goto(demo.link);
  await page.waitForSelector("main h1");
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const picture of PICTURES) await take(page, picture);
} finally {
  await browser.close();
  await demo.stop();
}

async function take(page: Page, { name, path: address, waitFor, ...rest }: (typeof PICTURES)[number]) {
  await page.goto(demo.url + address);
  await page.waitForSelector(waitFor);
  if ("open" in rest) {
    await page.click(rest.open);
    await page.waitForSelector(rest.opened);
  }
  const file = path.join(FOLDER, `${name}.png`) as `${string}.png`;
  await page.screenshot({ path: file, optimizeForSpeed: false });
  process.stdout.write(`${file} ${Math.ceil(fs.statSync(file).size / 1024)} KiB\n`);
}
