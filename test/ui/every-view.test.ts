import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { openPage, skip } from "./browser.ts";

/** Every address of the page, by its pattern in the tables of views. */
const PATHS = ["src/ui/views.ts", "src/ui/views-of-projects.ts"].flatMap((file) => {
  const [text = ""] = fs.readFileSync(file, "utf8").split("PUBLIC_VIEWS");
  return [...text.matchAll(/path: (?:"([^"]+)"|`([^`]+)`|(PROJECT|FLAG))/g)].map(
    ([, plain, built, name]) => plain ?? built ?? `\${${name}}`,
  );
});

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>"'&`;

const PROJECT = "/projects/p";
const FLAG = `${PROJECT}/features/${"f".repeat(100)}`;
const filled = (path: string) =>
  path
    .replace(":id", "1")
    .replace("/connect", "/connect?project=p")
    .replace(/.\{PROJECT\}/, PROJECT)
    .replace(/.\{FLAG\}/, FLAG);

/** Names as long, as wrong and as foreign as they can be, in whatever a view shows. */
const world = () =>
  createWorld()
    .project("p", { name: HOSTILE, description: HOSTILE })
    .add("contextField", { name: "country", description: HOSTILE })
    .add("segment", { id: 1, name: HOSTILE, description: HOSTILE, constraints: [constraint] })
    .add("tag", { type: "simple", value: `‮${HOSTILE.slice(0, 40)}` })
    .feature("f".repeat(100), "p", {
      description: `${HOSTILE} שלום ‮ e\u0301\u0302\u0303`,
      tags: [{ type: "simple", value: `‮${HOSTILE.slice(0, 40)}` }],
      environments: [
        {
          name: "development",
          enabled: true,
          strategies: [
            {
              id: "s",
              name: "flexibleRollout",
              title: HOSTILE,
              parameters: { rollout: "25", stickiness: "default", groupId: HOSTILE },
              constraints: [constraint],
              segments: [1],
            },
          ],
        },
      ],
    })
    .event({
      project: "p",
      featureName: "f".repeat(100),
      data: { name: HOSTILE, long: "x".repeat(100_000) },
      preData: { name: "a" },
    })
    .integration({ description: HOSTILE })
    .integrationEvent();

const constraint = {
  contextName: "country",
  operator: "IN",
  values: [HOSTILE, "‮abc"],
  inverted: false,
  caseInsensitive: false,
};

/** What stands out to the right of the window and can't be scrolled to by itself. */
const OVERFLOWING = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("main *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.parentElement.closest(".scroll, .tabs, pre"))
  .map((one) => one.outerHTML.slice(0, 200))`;

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  nodes: Array<{ html: string; failureSummary?: string }>;
}

/** What axe-core finds, in words. */
async function findings(page: Page) {
  const client = await page.createCDPSession();
  await client.send("Runtime.evaluate", { expression: axe }); // past the page's policy, which allows no such script
  const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as Finding[];
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

/** What is wrong with a view, in words; nothing if it is as it should be. */
async function problemsOf(page: Page, url: string): Promise<unknown[]> {
  await page.goto(url);
  await page.waitForSelector("main h1");
  const shown = page.waitForSelector("main :is(table, .nothing, section, form, ol, dl, .failure)", {
    timeout: 5000,
  });
  if (!(await shown.catch(() => null))) return [`nothing is shown at ${url}`];
  const overflowing = (await page.evaluate(OVERFLOWING)) as string[];
  return [
    ...(await page.$$eval("main .failure", (all) => all.map(({ textContent }) => `fails: ${textContent}`))),
    ...((await page.title()) === "owned" ? ["what is hostile has run"] : []),
    ...overflowing.map((html) => `overflows: ${html}`),
    ...(await findings(page)),
  ];
}

for (const [width, scheme] of [
  [1200, "light"],
  [360, "dark"],
] as const) {
  test(`every view, ${width} wide and ${scheme}: axe-core finds nothing, nothing hostile runs, nothing overflows`, {
    skip,
  }, async (t) => {
    assert.ok(PATHS.length > 15);
    const { signedIn, url } = await openPage(t, world());
    const page = await signedIn();
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const problems: Record<string, unknown> = {};
    for (const path of PATHS.map((one) => filled(one!))) {
      const found = await problemsOf(page, url + path);
      if (found.length > 0) problems[path] = found;
    }
    assert.deepEqual(problems, {});
  });
}
