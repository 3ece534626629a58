import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { holds, open, press, pressAt, sees, seesNoDialog, test, visit } from "./browser.ts";

const PLACE = "/projects/a/features/f/environments/production";

const world = () =>
  createWorld()
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "production", enabled: true, strategies: [{ name: "default" }] }],
    })
    .feature("g", "a");

const isOn = (on: boolean) =>
  `document.querySelector('[aria-label="f in production"][aria-checked=${on}]') !== null`;

test("a switch is undone from its message, and redone; the log says so, and undoes it again", async (t) => {
  const { page } = await open(t, { world: world(), at: "/projects/a/features/f" });
  await press(page, "switch", "f in production");
  await sees(page, "Disabled the flag f in the environment production");
  await press(page, "button", "Undo");
  await sees(page, "Undone: enabled the flag f in the environment production");
  await holds(page, isOn(true));
  await press(page, "button", "Redo");
  await sees(page, "Undone: disabled the flag f");
  await press(page, "link", "Log");
  await sees(page, "disabled the flag f in the environment production in the project a (undoing event 2)");
  await pressAt(page, ".log li:first-child .event button");
  await holds(page, "document.querySelector('.undo ul')?.innerText.includes('enabled the flag f')");
  await pressAt(page, ".undo button");
  await sees(page, "(undoing event 3)");
});

test("what somebody else has changed since stays, and the refusal leads to it", async (t) => {
  const { page, send, read } = await open(t, { world: world(), at: "/projects/a/features/f" });
  await press(page, "switch", "f in production");
  await sees(page, "Disabled the flag");
  await send("POST", `${PLACE}/on`);
  await send("POST", `${PLACE}/off`);
  await press(page, "button", "Undo");
  await sees(page, "Event 1 (Flag disabled) can't be undone: since then, admin disabled the flag f");
  await press(page, "link", "Show it in the log");
  await sees(page, "Event 3, feature-environment-disabled");
  const { enabled } = await read(PLACE);
  assert.equal(enabled, false);
});

test("a bulk change is undone as one", async (t) => {
  const { page, read } = await open(t, { world: world(), at: "/projects/a" });
  await press(page, "checkbox", "Select all on this page");
  await press(page, "button", "Mark as stale");
  await sees(page, "Marked the flag g as stale and marked the flag f as stale");
  await press(page, "button", "Undo");
  await sees(page, "Undone: marked the flag f as no longer stale");
  const { features } = await read("/projects/a/features");
  assert.deepEqual(
    features.map(({ stale }: { stale: boolean }) => stale),
    [false, false],
  );
});

test("where an environment asks before changes, a switch says what it does, and does nothing unless the user agrees", async (t) => {
  const { page, read } = await open(t, { world: world(), at: "/environments" });
  await press(page, "switch", "production asks before changes");
  await sees(page, "Updated the environment production");
  await visit(page, "/projects/a/features/f");
  await press(page, "switch", "f in production");
  await sees(page, "f will be off in production.");
  await page.keyboard.press("Escape");
  await seesNoDialog(page);
  await holds(page, isOn(true));
  await press(page, "switch", "f in production");
  await press(page, "button", "Change");
  await sees(page, "Disabled the flag f");
  await press(page, "switch", "f in production");
  await sees(page, "f will be on in production for everyone.");
  await press(page, "button", "Cancel");
  await press(page, "button", "Undo");
  await sees(page, "Undone: enabled the flag f");
  assert.equal((await read(PLACE)).enabled, true);
  await pressAt(page, '[aria-label="Environment production"] footer button');
  await press(page, "button", "Add the strategy");
  await sees(page, "f will have a strategy in production for everyone.");
  await press(page, "button", "Cancel");
  await sees(page, "Nothing was changed.");
});
