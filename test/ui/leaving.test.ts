import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import { createWorld } from "../support/world.ts";
import { hasValue, holds, isAt, open, press, pressText, sees, seesNoDialog, test, type } from "./browser.ts";

const FLAG = "/projects/a/features/f";

const WORLD = createWorld().project("a").feature("f", "a");

const QUESTION = "Discard what you typed?";

async function keepEditing(page: Page) {
  await sees(page, QUESTION);
  await press(page, "button", "Keep editing");
  await holds(page, `!document.body.innerText.includes(${JSON.stringify(QUESTION)})`);
}

async function discard(page: Page) {
  await sees(page, QUESTION);
  await press(page, "button", "Discard");
}

const isStale = (page: Page, isStale: boolean) =>
  holds(page, `document.querySelector("[name=stale]")?.checked === ${isStale}`);

const toggleStale = (page: Page) => press(page, "checkbox", "Stale: ready to be removed from the code");

/** The settings of a flag, one step in the history above the flag itself. */
async function openSettings(t: TestContext) {
  const opened = await open(t, { world: WORLD, at: FLAG });
  await press(opened.page, "link", "Settings");
  await isStale(opened.page, false);
  return opened;
}

const WAYS: Record<string, { leave(page: Page): Promise<unknown>; to: string; back: string }> = {
  "a link of the menu": {
    leave: (page) => press(page, "link", "Segments"),
    to: "/segments",
    back: "history.back()",
  },
  "a tab": { leave: (page) => press(page, "link", "Usage"), to: `${FLAG}/use`, back: "history.back()" },
  Back: { leave: (page) => page.goBack(), to: FLAG, back: "history.forward()" },
  "a shortcut": { leave: (page) => page.keyboard.type("gp"), to: "/projects", back: "history.back()" },
};

test("every way out asks before it drops what is changed in a flag's settings", async (t) => {
  const { page } = await openSettings(t);
  for (const [way, { leave, to, back }] of Object.entries(WAYS))
    await t.test(way, async () => {
      await toggleStale(page);
      await isStale(page, true);
      await leave(page);
      await keepEditing(page);
      await isAt(page, `${FLAG}/settings`);
      await isStale(page, true);
      await leave(page);
      await discard(page);
      await isAt(page, to);
      await seesNoDialog(page);
      await page.evaluate(back);
      await isStale(page, false);
    });
});

test("what is undone, saved, or only follows what others save is left without a question", async (t) => {
  const { page, send } = await openSettings(t);
  await toggleStale(page);
  await isStale(page, true);
  await toggleStale(page);
  await press(page, "link", "Usage");
  await isAt(page, `${FLAG}/use`);
  await press(page, "link", "Settings");
  await type(page, "Description", "mine");
  await press(page, "button", "Save");
  await sees(page, "Updated the metadata of the flag f");
  await press(page, "link", "Usage");
  await isAt(page, `${FLAG}/use`);
  await press(page, "link", "Settings");
  await isStale(page, false);
  await send("PUT", FLAG, { name: "f", type: "release", description: "theirs", stale: true });
  await isStale(page, true);
  await press(page, "link", "Usage");
  await isAt(page, `${FLAG}/use`);
  await seesNoDialog(page);
});

test("a link in a dialog asks before it drops what is typed there", async (t) => {
  const { page } = await open(t, { at: "/people?edit=3" });
  await type(page, "Name", "Written before");
  await press(page, "link", "What each role can do");
  await keepEditing(page);
  await isAt(page, "/people?edit=3");
  await hasValue(page, "name", "Written before");
  await press(page, "link", "What each role can do");
  await discard(page);
  await isAt(page, "/people/roles");
  await seesNoDialog(page);
});

test("a dialog above a view asks only about what is typed in it; what it leads to asks about both", async (t) => {
  const { page } = await openSettings(t);
  await toggleStale(page);
  await press(page, "button", "Copy");
  await page.waitForSelector("dialog");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
  await press(page, "button", "Copy", "Create the copy");
  await keepEditing(page);
  await isStale(page, true);
  await press(page, "button", "Close");
  await seesNoDialog(page);
  await isAt(page, `${FLAG}/settings`);
});

test("choices count as input, also all at once; the same choices as before don't", async (t) => {
  const { page } = await open(t, { at: "/integrations?new=true" });
  await press(page, "button", "Clear selection");
  await page.keyboard.press("Escape");
  await keepEditing(page);
  await press(page, "button", "Select all");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
  await press(page, "button", "New integration");
  await pressText(page, "feature-archived");
  await page.keyboard.press("Escape");
  await keepEditing(page);
  await pressText(page, "feature-archived");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
});

/** Ways out of a dialog to a later or an earlier entry in the history, both of which skip the view below it. */
const STEPS = { "Forward is pressed": "history.forward()", "Back leads several steps": "history.go(-2)" };

test("a dialog that is kept closes to the view below it, and Forward leads on once what is typed is discarded", async (t) => {
  for (const [way, step] of Object.entries(STEPS))
    await t.test(way, async (t) => {
      const { page } = await open(t, { at: "/projects" });
      await press(page, "link", "People");
      const typeInDialog = async () => {
        await press(page, "button", "Edit Vic Viewer");
        await press(page, "link", "What each role can do");
        await isAt(page, "/people/roles");
        await page.goBack();
        await type(page, "Name", "Written before");
      };
      await typeInDialog();
      await page.evaluate(step);
      await keepEditing(page);
      await isAt(page, "/people?edit=3");
      await press(page, "button", "Cancel");
      await discard(page);
      await seesNoDialog(page);
      await isAt(page, "/people");
      await holds(page, "history.state === null");
      await typeInDialog();
      await page.goForward();
      await discard(page);
      await isAt(page, "/people/roles");
    });
});

/** Reloads the page. @returns whether the browser asks whether to leave; if so, the page stays */
async function asksToReload(page: Page): Promise<boolean> {
  const asked = Promise.withResolvers<boolean>();
  page.once("dialog", async (question) => {
    await question.dismiss();
    asked.resolve(question.type() === "beforeunload");
  });
  page.once("load", () => asked.resolve(false));
  await page.evaluate("void location.reload()");
  const isAsked = await asked.promise;
  page.removeAllListeners("dialog");
  page.removeAllListeners("load");
  return isAsked;
}

test("the browser asks before it reloads the page while something is typed", async (t) => {
  const { page } = await open(t, { at: "/segments?new=true" });
  await page.waitForSelector("dialog [name=name]");
  await page.keyboard.type("beta");
  await hasValue(page, "name", "beta");
  assert.equal(await asksToReload(page), true);
  await press(page, "button", "Create the segment");
  await seesNoDialog(page);
  assert.equal(await asksToReload(page), false);
});
