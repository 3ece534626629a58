import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { holds, isAt, open, press, pressAt, sees, test, visit } from "./browser.ts";

const FLAG = "/projects/a/features/f";

const world = () =>
  createWorld()
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "production", enabled: true, strategies: [{ name: "default" }] }],
    });

const isOn = (on: boolean) =>
  `document.querySelector('[aria-label="f in production"][aria-checked=${on}]') !== null`;

const isFramed = (framed: boolean) => `(document.querySelector('.past') !== null) === ${framed}`;

test("from an event, a flag is shown as it was, unchangeable, until the way back to now", async (t) => {
  const { page, send } = await open(t, { world: world(), at: `${FLAG}/log` });
  await send("POST", "/projects/a/features", { name: "g" });
  await send("POST", `${FLAG}/environments/production/off`);
  await send("PUT", FLAG, { description: "for the winter" });
  await pressAt(page, ".log li:nth-child(2) .event button");
  await press(page, "link", "What was then");
  await sees(page, "This is as of", "nothing can be changed");
  await holds(page, `${isOn(false)} && document.querySelector('[aria-label="f in production"]').disabled`);
  assert.equal(await page.evaluate(`document.body.innerText.includes("for the winter")`), false);
  await press(page, "link", "a");
  await holds(page, `document.querySelector("a[href$='features/g']") !== null`);
  await isAt(page, "/projects/a?at=2");
  await page.goBack();
  await press(page, "link", "Back to now");
  await sees(page, "for the winter");
  await isAt(page, FLAG);
  await holds(page, isFramed(false));
});

test("what has happened since is undone, once it was said what that changes", async (t) => {
  const { page, send, read } = await open(t, { world: world() });
  await send("PUT", FLAG, { description: "first" });
  await send("POST", `${FLAG}/environments/production/off`);
  await send("PUT", FLAG, { description: "second" });
  await visit(page, `${FLAG}?at=1`);
  await press(page, "link", "Undo that");
  await sees(page, "enabled the flag f in the environment production", "updated the metadata");
  await press(page, "button", "Undo what came after");
  await sees(page, "Undone: ");
  const { description, environments } = await read(FLAG);
  assert.deepEqual(
    [description, environments.find((one: { name: string }) => one.name === "production").enabled],
    ["first", true],
  );
  await visit(page, `${FLAG}?since=1`);
  await sees(page, "It is as it was then.");
});

test("a strategy says who last changed it", async (t) => {
  const { page, send } = await open(t, { world: world(), at: FLAG });
  const { id } = await send("POST", `${FLAG}/environments/production/strategies`, { name: "default" });
  await sees(page, "Last changed by admin just now");
  assert.ok(id);
});

test("a time can be chosen; before the history there is nothing to show", async (t) => {
  const { page } = await open(t, { world: world(), at: FLAG });
  await press(page, "button", "As of…");
  await press(page, "button", "Show");
  await sees(page, "This is what was", "The history begins at");
  await press(page, "link", "Back to now");
  await holds(page, isOn(true));
});

test("the playground evaluates as of then, and the log says what has changed since", async (t) => {
  const { page, send } = await open(t, { world: world() });
  await send("PUT", FLAG, { description: "first" });
  await send("POST", `${FLAG}/environments/production/off`);
  await visit(page, "/playground?environments=production&at=1");
  await sees(page, "1 on in production");
  await press(page, "link", "Back to now");
  await press(page, "button", "Evaluate");
  await sees(page, "0 on in production");
  await visit(page, `${FLAG}?at=1`);
  await press(page, "link", "What has changed since");
  await sees(page, "disabled the flag f in the environment production");
  await holds(page, isFramed(false));
});
