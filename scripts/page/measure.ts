import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { launch } from "./browser.ts";
import { type Figure, toText } from "./figures.ts";
import { measureFirstView } from "./first-view.ts";
import { prepareLarge } from "./large-file.ts";
import { measureLag, measureMemory } from "./live-updates.ts";
import { measureLists } from "./long-lists.ts";
import { serveDemo, serveFile } from "./serve.ts";

/*
 * `npm run bench:page [-- --events N]`: the size and speed of the page compared with its targets. The first view is
 * measured with the demo, the rest with a project of 5,000 flags and a log of a million events.
 */

const { values: options } = parseArgs({ options: { events: { type: "string", default: "1000000" } } });

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-page-"));
const browser = await launch();
try {
  await measureDemo();
  await measureLargeFile();
} finally {
  await browser.close();
  fs.rmSync(folder, { recursive: true });
}

function print(figures: readonly Figure[]) {
  process.stdout.write(toText(figures));
  if (figures.some(({ value, most }) => value > most)) process.exitCode = 1;
}

async function measureDemo() {
  const { link, url, stop } = await serveDemo();
  try {
    const page = await browser.newPage();
    await page.goto(link);
    await page.waitForSelector("main h1");
    print(await measureFirstView(browser, url, await browser.cookies()));
    await page.close();
  } finally {
    await stop();
  }
}

async function measureLargeFile() {
  const { file, link } = await prepareLarge(Number(options.events), folder);
  const { url, stop } = await serveFile(file);
  try {
    const page = await browser.newPage();
    await page.goto(url + link);
    await page.waitForSelector("main h1");
    print(await measureLists(page, url));
    print([await measureLag(page, url)]);
    print(await measureMemory(page, url));
  } finally {
    await stop();
  }
}
