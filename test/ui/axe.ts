import fs from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "puppeteer-core";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  nodes: Array<{ html: string; failureSummary?: string }>;
}

/** Loads axe-core into a window, bypassing the page's content security policy. */
export async function loadAxe(page: Page) {
  const client = await page.createCDPSession();
  await client.send("Runtime.evaluate", { expression: axe });
  await client.detach();
}

/** The violations that axe-core finds, in words. @param rules the only ones to check */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules ? { runOnly: rules, resultTypes: ["violations"] } : { resultTypes: ["violations"] };
  const found = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Finding[];
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}
