import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import type { Page, SerializedAXNode } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { holds, open, openPage, press, sees, seesNoDialog, test, type, visit } from "./browser.ts";
import { ADDRESSES, INVITATION, oddWorld } from "./odd-world.ts";

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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

/** Loads axe-core and the tools into a window, bypassing the page's content security policy. */
async function loadTools(page: Page) {
  const client = await page.createCDPSession();
  await client.send("Runtime.evaluate", { expression: AXE + TOOLS });
  await client.detach();
}

interface Finding {
  id: string;
  nodes: Array<{ html: string; failureSummary?: string }>;
}

/** The violations that axe-core finds in an element, in words. @param rules the only ones to check */
async function findings(page: Page, selector: string, rules?: readonly string[]): Promise<string[]> {
  const more = { "target-size": { enabled: true } };
  const options = { ...(rules ? { runOnly: rules } : { rules: more }), resultTypes: ["violations"] };
  const found = (await page.evaluate(
    `axe.run(${JSON.stringify(selector)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Finding[];
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

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

/** What is wrong with how a view looks, in words. */
async function problemsOfLooks(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const { width, scheme, ...rest } of LOOKS) {
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const found = [
      ...((await page.evaluate(FAILURES)) as string[]),
      ...((await page.evaluate(OVERFLOWING)) as string[]),
      ...((await page.title()) === "owned" ? ["an injected script has run"] : []),
      ...(await findings(page, "html", "rules" in rest ? rest.rules : undefined)),
    ];
    problems.push(...found.map((problem) => `${width} wide, ${scheme}: ${problem}`));
  }
  await page.setViewport({ width: 1200, height: 800 });
  return problems;
}

/** What screen readers find in a window, in the order in which they read it. */
async function nodesOf(page: Page): Promise<SerializedAXNode[]> {
  const flat = (node: SerializedAXNode): SerializedAXNode[] => [node, ...(node.children ?? []).flatMap(flat)];
  const root = await page.accessibility.snapshot({ interestingOnly: false });
  return flat(root!);
}

const CONTROLS = /^(button|link|textbox|searchbox|checkbox|switch|combobox|slider)$/;

/** What is read twice or not at all, in words. */
function problemsByEar(nodes: readonly SerializedAXNode[]): string[] {
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  const headings = nodes.filter(({ role, level }) => role === "heading" && level === 1).length;
  return [
    ...["banner", "main"].filter((role) => count(role) !== 1).map((role) => `${count(role)} × ${role}`),
    ...(headings === 1 ? [] : [`${headings} headings of level 1`]),
    ...nodes
      .filter(({ role, name = "" }) => CONTROLS.test(role) && name.trim() === "")
      .map(({ role }) => `a ${role} without a name`),
    ...nodes
      .filter(({ name, description }) => name !== undefined && name !== "" && name === description)
      .map(({ role, name }) => `the ${role} ${name} says its name twice`),
  ];
}

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
async function problemsByTab(page: Page, selector: string): Promise<string[]> {
  const { stops, invisible } = await walk(page, selector);
  const all = (await page.evaluate("stops.map(labelOf)")) as string[];
  const missed = all.filter((_, index) => !stops.includes(index));
  const isInOrder = stops.every((stop, index) => index === 0 || stop > stops[index - 1]!);
  return [
    ...missed.map((label) => `Tab skips ${label} in ${selector}`),
    ...invisible.map((label) => `the focus on ${label} isn't visible`),
    ...(isInOrder ? [] : [`Tab is out of order: ${stops.map((stop) => all[stop])}`]),
  ];
}

test("every view with odd names is well-formed: to the eye, wide and narrow, light and dark; by ear; by keyboard", async (t) => {
  assert.ok(ADDRESSES.length > 25);
  const { page } = await open(t, { world: oddWorld() });
  const problems: Record<string, string[]> = {};
  for (const address of ADDRESSES) {
    await visit(page, address);
    await loadTools(page);
    const found = [...problemsByEar(await nodesOf(page)), ...(await problemsOfLooks(page))];
    await page.focus("#main");
    found.push(...(await problemsByTab(page, "#main")));
    if (address === "/") {
      await page.evaluate("document.activeElement.blur()");
      await visit(page, address);
      await loadTools(page);
      found.push(...(await problemsByTab(page, "header")));
    }
    if (found.length > 0) problems[address] = found;
  }
  assert.deepEqual(problems, {});
});

test("the views that need no sign-in are as accessible as the rest", async (t) => {
  const { openWindow, url, request } = await openPage(t, oddWorld());
  const call = { method: "POST", body: { id: "odd@example.com" } };
  const { body } = await request("/api/admin/user-admin/reset-password", call);
  const { pathname, search } = new URL(body.resetPasswordUrl, url);
  const page = await openWindow();
  await page.goto(url);
  const problems: Record<string, string[]> = {};
  for (const address of ["/projects", pathname + search, `/new-user?invite=${INVITATION}`]) {
    await visit(page, address);
    await loadTools(page);
    const found = await problemsOfLooks(page);
    if (found.length > 0) problems[address] = found;
  }
  assert.deepEqual(problems, {});
});

/** Buttons that may open a dialog: no switches, and none that act immediately. */
const OPENERS = `[...new Set([...document.querySelectorAll(
    "#main button[type=button]:enabled:not([role=switch], [aria-pressed], [aria-expanded], .sort)",
  )].map(labelOf))].filter((label) => !/^(Copy |Copied|Download|Redeliver|Pause|Resume|Mark|Remove the tag|Add a field|Remove field|Move .* (up|down)|Next|Previous|Set a new password)/.test(label))`;

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
  const found = await findings(page, "dialog");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
  const isBack = await page.evaluate(`labelOf(document.activeElement) === ${JSON.stringify(label)}`);
  return [
    ...(isInside ? [] : ["the focus is not in the dialog"]),
    ...(walked.isOutside ? ["Tab leads out of the dialog"] : []),
    ...walked.invisible.map((stop) => `the focus on ${stop} isn't visible`),
    ...found,
    ...(isBack ? [] : ["the focus isn't back on the button after the dialog has closed"]),
  ];
}

test("by keyboard alone: each dialog opens with Enter, keeps the focus, closes with Escape and returns the focus", async (t) => {
  const { page } = await open(t, { world: oddWorld() });
  const problems: Record<string, string[]> = {};
  let count = 0;
  for (const address of ADDRESSES) {
    await visit(page, address);
    await loadTools(page);
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

/** Opens the dialog of a button by keyboard. @returns the roles in the dialog */
async function openDialog(page: Page, name: string): Promise<string[]> {
  const button = await page.waitForSelector(`::-p-aria([role="button"][name="${name}"])`);
  await button!.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open] form");
  return (await nodesOf(page)).map(({ role }) => role);
}

/** Waits until the heading of a view has the focus. */
const isRead = (page: Page, title: string) =>
  holds(
    page,
    `document.activeElement.matches("h1") && document.activeElement.innerText.startsWith(${JSON.stringify(title)})`,
  );

test("by ear: from view to view the focus is on the heading, and returns to where a dialog was opened", async (t) => {
  const { page } = await open(t, { world: createWorld().add("contextField", { name: "userId" }), at: "/" });
  await press(page, "link", "Projects");
  await isRead(page, "Projects");
  const roles = await openDialog(page, "New project");
  assert.ok(!roles.some((role) => ["banner", "contentinfo"].includes(role)));
  await page.keyboard.type("Shop");
  await page.keyboard.press("Enter");
  await isRead(page, "Shop");
  await openDialog(page, "New flag");
  await page.keyboard.type("cart");
  await page.keyboard.press("Enter");
  await isRead(page, "cart");
  await openDialog(page, "Add a strategy");
  await press(page, "button", "Add a constraint");
  await holds(page, "document.activeElement.ariaLabel === 'Context field of constraint 1'");
  await type(page, "Values of constraint 1", "42");
  await press(page, "button", "Add the strategy");
  await seesNoDialog(page);
  await holds(page, "document.activeElement.innerText.trim() === 'Add a strategy'");
  await openDialog(page, "Try it with a context");
  await page.waitForSelector("dialog [aria-live]:empty"); // what it finds is then read out
  await press(page, "button", "Evaluate");
  await page.waitForSelector("dialog [aria-live] .reasons");
  await press(page, "button", "Close");
  await seesNoDialog(page);
  await page.keyboard.type("ge");
  await isRead(page, "Event log");
  await sees(page, "added the strategy");
});

test("a problem with a field is part of its description, and is not announced as well", async (t) => {
  const { page } = await open(t, { world: createWorld().project("a"), at: "/projects?new=true" });
  await page.waitForSelector("dialog [name=id]");
  await page.keyboard.type("Again");
  await page.focus("[name=id]");
  await page.keyboard.type("not an id");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog .problem");
  await holds(page, "document.activeElement.name === 'id'");
  const field = (await nodesOf(page)).find(({ role, name }) => role === "textbox" && name === "ID");
  assert.match(field?.description ?? "", /^.+ Used in URLs/);
  assert.equal(await page.$("dialog [role=alert]"), null);
});

test("what fails in a dialog is read out there, since nothing outside is", async (t) => {
  const strategies = [{ id: "s", name: "default" }];
  const world = createWorld()
    .project("a")
    .feature("f", "a", { environments: [{ name: "development", strategies }] });
  const { page } = await open(t, { world, at: "/projects/a/features/f?copy=s" });
  await page.waitForSelector("dialog [role=status]");
  await page.setOfflineMode(true);
  await press(page, "button", "production");
  await page.waitForSelector("dialog [role=status] .failure");
});
