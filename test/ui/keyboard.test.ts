import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { findings, loadAxe } from "./axe.ts";
import { holds, openPage, seesNoDialog, skip, visit } from "./browser.ts";
import { ADDRESSES, oddWorld } from "./odd-world.ts";

/** Helpers in the window: the tab stops of an element, their labels, and whether the focus is visible on them. */
const TOOLS = `
  window.stopsIn = (selector) => [...document.querySelector(selector).querySelectorAll(
    "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']",
  )].filter((element) => element.checkVisibility());
  window.labelOf = (element) => (element.ariaLabel ?? element.innerText ?? element.name).trim().slice(0, 60) || element.outerHTML.slice(0, 120);
  window.isFocusVisible = (element) => {
    if (element.type?.startsWith("date")) return true; // the browser shows which part of it has the focus
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom } = element.getBoundingClientRect();
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1 && bottom > 0 && top < innerHeight;
  };
`;

interface Walk {
  stops: number[];
  invisible: string[];
  isOutside: boolean;
}

/** Presses Tab until the focus leaves the element, or is back at the start. */
async function walk(page: Page, selector: string): Promise<Walk> {
  const count = Number(await page.evaluate(`(window.stops = stopsIn(${JSON.stringify(selector)})).length`));
  const stops: number[] = [];
  const invisible: string[] = [];
  for (let pressed = 0; pressed < 3 * count + 3; pressed++) {
    await page.keyboard.press("Tab");
    const [index, label, isFocusVisible] = (await page.evaluate(
      "[stops.indexOf(document.activeElement), labelOf(document.activeElement), isFocusVisible(document.activeElement)]",
    )) as [number, string, boolean];
    if (index === -1 || (index === 0 && stops.length > 1)) break;
    if (stops.at(-1) !== index) stops.push(index); // a date has several tab stops of its own
    if (!isFocusVisible) invisible.push(label);
  }
  const isOutside = await page.evaluate(
    `document.activeElement !== document.body && !document.querySelector(${JSON.stringify(selector)}).contains(document.activeElement)`,
  );
  return { stops, invisible, isOutside: Boolean(isOutside) };
}

/** The problems of a walk through an element by Tab. */
async function problemsOfWalk(page: Page, selector: string, { stops, invisible }: Walk): Promise<string[]> {
  const all = (await page.evaluate("stops.map(labelOf)")) as string[];
  const missed = all.filter((_, index) => !stops.includes(index));
  const isInOrder = stops.every((stop, index) => index === 0 || stop > stops[index - 1]!);
  return [
    ...missed.map((label) => `Tab skips ${label} in ${selector}`),
    ...invisible.map((label) => `the focus on ${label} isn't visible`),
    ...(isInOrder ? [] : [`Tab is out of order: ${stops.map((stop) => all[stop])}`]),
  ];
}

test("by keyboard alone: Tab reaches everything in every view, in order and with a visible focus", {
  skip,
}, async (t) => {
  const { signedIn } = await openPage(t, oddWorld());
  const page = await signedIn();
  await page.evaluateOnNewDocument(TOOLS);
  const problems: Record<string, string[]> = {};
  for (const address of ADDRESSES) {
    await visit(page, address);
    await page.focus("#main");
    const found = await problemsOfWalk(page, "#main", await walk(page, "#main"));
    if (found.length > 0) problems[address] = found;
  }
  await visit(page, "/");
  const menu = await problemsOfWalk(page, "header", await walk(page, "header"));
  assert.deepEqual({ ...problems, ...(menu.length > 0 && { menu }) }, {});
});

/** Buttons that may open a dialog: no switches, and none that act immediately. */
const OPENERS = `[...new Set([...document.querySelectorAll(
    "#main button[type=button]:enabled:not([role=switch], [aria-pressed], [aria-expanded], .sort)",
  )].map(labelOf))].filter((label) => !/^(Copy |Copied|Download|Redeliver|Pause|Resume|Mark|Remove the tag|Move .* (up|down)|Next|Previous)/.test(label))`;

const buttonOf = (label: string) =>
  `[...document.querySelectorAll("#main button")].find((element) => labelOf(element) === ${JSON.stringify(label)})`;

/** Presses Enter on a button. @returns whether it opens a dialog */
async function opens(page: Page, label: string): Promise<boolean> {
  const isThere = await page.evaluate(`(${buttonOf(label)})?.focus() ?? Boolean(${buttonOf(label)})`);
  if (!isThere) return false;
  await page.keyboard.press("Enter");
  await holds(page, "!document.querySelector('main[aria-busy=true], button[aria-disabled=true]')");
  if (!(await page.$("dialog"))) return false;
  await page.waitForSelector("dialog[open]");
  return true;
}

/** The problems of the open dialog, which it closes. */
async function problemsOfDialog(page: Page, label: string): Promise<string[]> {
  const isInside = await page.evaluate("document.querySelector('dialog').contains(document.activeElement)");
  const walked = await walk(page, "dialog");
  const found = await findings(page);
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
  const isBack = await page.evaluate(`document.activeElement === ${buttonOf(label)}`);
  return [
    ...(isInside ? [] : ["the focus is not in the dialog"]),
    ...(walked.isOutside ? ["Tab leads out of the dialog"] : []),
    ...walked.invisible.map((stop) => `the focus on ${stop} isn't visible`),
    ...found,
    ...(isBack ? [] : ["the focus isn't back on the button after the dialog has closed"]),
  ];
}

test("by keyboard alone: each dialog opens with Enter, keeps the focus, closes with Escape and returns the focus", {
  skip,
}, async (t) => {
  const { signedIn } = await openPage(t, oddWorld());
  const page = await signedIn();
  await page.evaluateOnNewDocument(TOOLS);
  const problems: Record<string, string[]> = {};
  let count = 0;
  for (const address of ADDRESSES) {
    await visit(page, address);
    await loadAxe(page);
    for (const label of (await page.evaluate(OPENERS)) as string[]) {
      if (!(await opens(page, label))) continue;
      count++;
      const found = await problemsOfDialog(page, label);
      if (found.length > 0) problems[`${address}: ${label}`] = found;
    }
  }
  assert.deepEqual(problems, {});
  assert.ok(count > 30, `${count} dialogs`);
});
