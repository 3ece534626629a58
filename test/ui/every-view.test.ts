import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { findings, loadAxe } from "./axe.ts";
import { openPage, skip, visit } from "./browser.ts";
import { ADDRESSES, INVITATION, oddWorld } from "./odd-world.ts";

/** What overflows the window to the right, except inside elements that scroll by themselves. */
const OVERFLOWING = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("main *, header *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth && !element.parentElement.closest(".scroll, .tabs, pre"))
  .map((element) => "overflows: " + element.outerHTML.slice(0, 200))`;

const FAILURES = `[...document.querySelectorAll("main:not(.standalone) .failure")].map((element) => "fails: " + element.textContent)`;

/** Widths and colour schemes; the second scheme of a width is only checked for contrast. */
const LOOKS = [
  { width: 1200, scheme: "light" },
  { width: 1200, scheme: "dark", rules: ["color-contrast"] },
  { width: 360, scheme: "dark" },
  { width: 360, scheme: "light", rules: ["color-contrast"] },
] as const;

/** The problems of a view, in words; empty if there are none. */
async function problemsOf(page: Page, address: string): Promise<Record<string, string[]>> {
  await visit(page, address);
  await loadAxe(page);
  const problems: Record<string, string[]> = {};
  for (const { width, scheme, ...rest } of LOOKS) {
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const found = [
      ...((await page.evaluate(FAILURES)) as string[]),
      ...((await page.evaluate(OVERFLOWING)) as string[]),
      ...((await page.title()) === "owned" ? ["an injected script has run"] : []),
      ...(await findings(page, "rules" in rest ? rest.rules : undefined)),
    ];
    if (found.length > 0) problems[`${address}, ${width} wide, ${scheme}`] = found;
  }
  return problems;
}

test("every view with odd names, wide and narrow, light and dark: axe-core finds nothing, no injected script runs, nothing overflows", {
  skip,
}, async (t) => {
  assert.ok(ADDRESSES.length > 25);
  const { signedIn } = await openPage(t, oddWorld());
  const page = await signedIn();
  const problems = {};
  for (const address of ADDRESSES) Object.assign(problems, await problemsOf(page, address));
  assert.deepEqual(problems, {});
});

test("the views that need no sign-in are as accessible as the rest", { skip }, async (t) => {
  const { openWindow, url, request } = await openPage(t, oddWorld());
  const { body } = await request("/api/admin/user-admin/reset-password", {
    method: "POST",
    body: { id: "odd@example.com" },
  });
  const { pathname, search } = new URL(body.resetPasswordUrl, url);
  const page = await openWindow();
  await page.goto(url);
  const problems = {};
  for (const address of ["/projects", pathname + search, `/new-user?invite=${INVITATION}`])
    Object.assign(problems, await problemsOf(page, address));
  assert.deepEqual(problems, {});
});
