import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, SerializedAXNode } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, sees, seesNoDialog, skip, type, visit } from "./browser.ts";
import { ADDRESSES, oddWorld } from "./odd-world.ts";

/** What screen readers find in a window, in the order in which they read it. */
async function nodesOf(page: Page): Promise<SerializedAXNode[]> {
  const flat = (node: SerializedAXNode): SerializedAXNode[] => [node, ...(node.children ?? []).flatMap(flat)];
  const root = await page.accessibility.snapshot({ interestingOnly: false });
  return flat(root!);
}

const CONTROLS = new Set([
  "button",
  "link",
  "textbox",
  "searchbox",
  "checkbox",
  "switch",
  "combobox",
  "slider",
]);

/** What is read twice or not at all, in words. */
function problemsOf(nodes: readonly SerializedAXNode[]): string[] {
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  const headings = nodes.filter(({ role, level }) => role === "heading" && level === 1).length;
  return [
    ...["banner", "main"].filter((role) => count(role) !== 1).map((role) => `${count(role)} × ${role}`),
    ...(headings === 1 ? [] : [`${headings} headings of level 1`]),
    ...nodes
      .filter(({ role, name = "" }) => CONTROLS.has(role) && name.trim() === "")
      .map(({ role }) => `a ${role} without a name`),
    ...nodes
      .filter(({ name, description }) => name !== undefined && name !== "" && name === description)
      .map(({ role, name }) => `the ${role} ${name} says its name twice`),
  ];
}

test("every view has its landmarks, one title, and controls that say their name once", {
  skip,
}, async (t) => {
  const { signedIn } = await openPage(t, oddWorld());
  const page = await signedIn();
  const problems: Record<string, string[]> = {};
  for (const address of ADDRESSES) {
    await visit(page, address);
    const found = problemsOf(await nodesOf(page));
    if (found.length > 0) problems[address] = found;
  }
  assert.deepEqual(problems, {});
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

test("by ear: from view to view the focus is on the heading, and returns to where a dialog was opened", {
  skip,
}, async (t) => {
  const { signedIn } = await openPage(t, createWorld().add("contextField", { name: "userId" }));
  const page = await signedIn();
  await visit(page, "/");
  await press(page, "link", "Projects");
  await isRead(page, "Projects");
  assert.ok(
    !(await openDialog(page, "New project")).some((role) => ["banner", "contentinfo"].includes(role)),
  );
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

test("a problem with a field is part of its description, and is not announced as well", {
  skip,
}, async (t) => {
  const { signedIn } = await openPage(t, createWorld().project("a"));
  const page = await signedIn();
  await visit(page, "/projects?new=true");
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

test("what fails in a dialog is read out there, since nothing outside is", { skip }, async (t) => {
  const world = createWorld()
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "development", strategies: [{ id: "s", name: "default" }] }],
    });
  const { signedIn } = await openPage(t, world);
  const page = await signedIn();
  await visit(page, "/projects/a/features/f?copy=s");
  await page.waitForSelector("dialog [role=status]");
  await page.setOfflineMode(true);
  await press(page, "button", "production");
  await page.waitForSelector("dialog [role=status] .failure");
});
