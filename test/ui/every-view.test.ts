import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { openPage, skip } from "./browser.ts";

/** Every address of the page, by its pattern in the tables of views. */
const PATHS = ["src/ui/views.ts", "src/ui/views-of-projects.ts"].flatMap((file) => {
  const text = fs.readFileSync(file, "utf8");
  return [...text.matchAll(/path: (?:"([^"]+)"|`([^`]+)`|(PROJECT|FLAG))/g)].map(
    ([, plain, built, name]) => plain ?? built ?? `\${${name}}`,
  );
});

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>"'&`;

const PROJECT = "/projects/p";
const FLAG = `${PROJECT}/features/${"f".repeat(100)}`;
const filled = (path: string) => path.replace(/.\{PROJECT\}/, PROJECT).replace(/.\{FLAG\}/, FLAG);

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
    });

const constraint = {
  contextName: "country",
  operator: "IN",
  values: [HOSTILE, "‮abc"],
  inverted: false,
  caseInsensitive: false,
};

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

test("every view: axe-core finds nothing, nothing hostile runs, nothing overflows, light and dark, wide and narrow", {
  skip,
}, async (t) => {
  assert.ok(PATHS.length > 15);
  const { signedIn } = await openPage(t, world());
  const page = await signedIn();
  for (const [width, scheme] of [
    [1200, "light"],
    [360, "dark"],
  ] as const) {
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const path of PATHS.map((one) => filled(one!))) {
      const where = `${path} ${width} ${scheme}`;
      await page.goto(new URL(path, page.url()).href);
      await page.waitForSelector("main h1");
      await page.waitForSelector("main :is(table, .nothing, section, form, ol, dl)");
      assert.equal(await page.$(".failure"), null, `${where}: no failure is shown`);
      assert.notEqual(await page.title(), "owned", where);
      assert.equal(
        await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        true,
        `${where} overflows`,
      );
      assert.deepEqual(await findings(page), [], where);
    }
  }
});
