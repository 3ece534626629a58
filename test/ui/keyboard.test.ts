import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { findings, loadAxe } from "./axe.ts";
import { holds, openPage, seesNoDialog, skip, visit } from "./browser.ts";
import { ADDRESSES, oddWorld } from "./odd-world.ts";

/** In the window: what can be reached in a part of it, and what is said of it. */
const TOOLS = `
  window.stopsIn = (part) => [...document.querySelector(part).querySelectorAll(
    "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']",
  )].filter((one) => one.checkVisibility());
  window.wordsOf = (one) => (one.ariaLabel ?? one.innerText ?? one.name).trim().slice(0, 60) || one.outerHTML.slice(0, 120);
  window.isSeen = (one) => {
    if (one.type?.startsWith("date")) return true; // the browser shows which part of it has the focus
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { top, bottom } = one.getBoundingClientRect();
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1 && bottom > 0 && top < innerHeight;
  };
`;

interface Walk {
  stops: number[];
  unseen: string[];
  isOutside: boolean;
}

/** Presses Tab until the part is left, or all around it. */
async function walk(page: Page, part: string): Promise<Walk> {
  const count = Number(await page.evaluate(`(window.stops = stopsIn(${JSON.stringify(part)})).length`));
  const stops: number[] = [];
  const unseen: string[] = [];
  for (let pressed = 0; pressed < 3 * count + 3; pressed++) {
    await page.keyboard.press("Tab");
    const [index, words, isSeen] = (await page.evaluate(
      "[stops.indexOf(document.activeElement), wordsOf(document.activeElement), isSeen(document.activeElement)]",
    )) as [number, string, boolean];
    if (index === -1 || (index === 0 && stops.length > 1)) break;
    if (stops.at(-1) !== index) stops.push(index); // a date is several stops of its own
    if (!isSeen) unseen.push(words);
  }
  const isOutside = await page.evaluate(
    `document.activeElement !== document.body && !document.querySelector(${JSON.stringify(part)}).contains(document.activeElement)`,
  );
  return { stops, unseen, isOutside: Boolean(isOutside) };
}

/** What is wrong with how a part is walked through by Tab. */
async function problemsOfWalk(page: Page, part: string, { stops, unseen }: Walk): Promise<string[]> {
  const all = (await page.evaluate("stops.map(wordsOf)")) as string[];
  const missed = all.filter((_, index) => !stops.includes(index));
  const isInOrder = stops.every((stop, index) => index === 0 || stop > stops[index - 1]!);
  return [
    ...missed.map((words) => `Tab passes over ${words} in ${part}`),
    ...unseen.map((words) => `nothing shows that ${words} has the focus`),
    ...(isInOrder ? [] : [`Tab goes to and fro: ${stops.map((stop) => all[stop])}`]),
  ];
}

test("by keyboard alone: Tab reaches everything in every view, in its order, and shows where it is", {
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

/** Buttons that may open a dialog: no switches, and none that sends or copies something at once. */
const OPENERS = `[...new Set([...document.querySelectorAll(
    "#main button[type=button]:enabled:not([role=switch], [aria-pressed], [aria-expanded], .sort)",
  )].map(wordsOf))].filter((words) => !/^(Copy |Copied|Download|Redeliver|Pause|Resume|Mark|Remove the tag|Move .* (up|down)|Next|Previous)/.test(words))`;

const buttonOf = (words: string) =>
  `[...document.querySelectorAll("#main button")].find((one) => wordsOf(one) === ${JSON.stringify(words)})`;

/** Opens what a button opens, by Enter. @returns whether it is a dialog */
async function opens(page: Page, words: string): Promise<boolean> {
  const isThere = await page.evaluate(`(${buttonOf(words)})?.focus() ?? Boolean(${buttonOf(words)})`);
  if (!isThere) return false;
  await page.keyboard.press("Enter");
  await holds(page, "!document.querySelector('main[aria-busy=true], button[aria-disabled=true]')");
  if (!(await page.$("dialog"))) return false;
  await page.waitForSelector("dialog[open]");
  return true;
}

/** What is wrong with the dialog that is open, which is closed then. */
async function problemsOfDialog(page: Page, words: string): Promise<string[]> {
  const isInside = await page.evaluate("document.querySelector('dialog').contains(document.activeElement)");
  const walked = await walk(page, "dialog");
  const found = await findings(page);
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
  const isBack = await page.evaluate(`document.activeElement === ${buttonOf(words)}`);
  return [
    ...(isInside ? [] : ["the focus is not in the dialog"]),
    ...(walked.isOutside ? ["Tab leads out of the dialog"] : []),
    ...walked.unseen.map((one) => `nothing shows that ${one} has the focus`),
    ...found,
    ...(isBack ? [] : ["the focus is not where it was when the dialog has closed"]),
  ];
}

test("by keyboard alone: each dialog opens by Enter, keeps the focus, closes by Escape and gives it back", {
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
    for (const words of (await page.evaluate(OPENERS)) as string[]) {
      if (!(await opens(page, words))) continue;
      count++;
      const found = await problemsOfDialog(page, words);
      if (found.length > 0) problems[`${address}: ${words}`] = found;
    }
  }
  assert.deepEqual(problems, {});
  assert.ok(count > 30, `${count} dialogs`);
});
