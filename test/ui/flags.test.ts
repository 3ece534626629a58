import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { holds, open, press, sees, seesNoDialog, test, type } from "./browser.ts";

/** So many that they are on several pages, one of which can't be moved. */
const world = () => {
  const names = Array.from({ length: 120 }, (_, index) => `flag-${index}`);
  const filled = createWorld().project("a").project("b").feature("other", "a").feature("parent", "a");
  return names
    .reduce((filling, name) => filling.feature(name, "a"), filled)
    .feature("flag-child", "a", { dependencies: [{ feature: "parent" }] });
};

const selectAll = async (page: Parameters<typeof press>[0], count: number) => {
  await press(page, "checkbox", "Select all on this page");
  await press(page, "button", `Select all ${count} that match`);
  await sees(page, `${count} flags selected`);
};

test("all flags that match are changed at once; what refuses to move is told, and stays selected", async (t) => {
  const { page, read } = await open(t, { world: world(), at: "/projects/a?query=flag-" });
  await selectAll(page, 121);
  await press(page, "button", "Turn on");
  await holds(page, "!document.querySelector('.bulk')");
  assert.equal((await read("/search/features?status=development:enabled")).total, 121);
  await type(page, "Search flags", "flag-11");
  await sees(page, "of 11");
  await press(page, "checkbox", "Select all on this page");
  await press(page, "button", "Tags");
  await type(page, "Value", "spring");
  await press(page, "button", "Save");
  await seesNoDialog(page);
  assert.equal((await read("/search/features?tag=INCLUDE:simple:spring")).total, 11);
  await type(page, "Search flags", "flag-c");
  await sees(page, "of 1");
  await press(page, "checkbox", "Select flag-child");
  await type(page, "Search flags", "flag-7");
  await sees(page, "flag-79");
  await press(page, "checkbox", "Select all on this page");
  await press(page, "button", "Move");
  await page.waitForSelector("dialog option[value=b]");
  await page.select("dialog [name=newProjectId]", "b");
  await press(page, "button", "Move");
  await sees(page, "11 flags moved, 1 refused", "flag-child:");
  await press(page, "button", "Close");
  await sees(page, "1 flag selected");
  assert.equal((await read("/search/features?project=IS:b")).total, 11);
});

test("flags go from one project to another as a text, once a check has told what will happen", async (t) => {
  const { page, read, send } = await open(t, { world: world(), at: "/projects/a?query=other" });
  await press(page, "checkbox", "Select other");
  await press(page, "button", "Export selected");
  await sees(page, "Export 1 flag");
  await press(page, "button", "Export");
  await sees(page, "Exported 1 flag");
  const body = { environment: "production", features: ["other"] };
  const exported = await send("POST", "/features-batch/export", body);
  await press(page, "button", "Import");
  await page.waitForSelector("dialog [name=from]");
  await page.select("dialog [name=from]", "text");
  await type(page, "Text", "{");
  await press(page, "button", "Check");
  await sees(page, "Is not JSON");
  await type(page, "Text", JSON.stringify({ ...exported, features: [{ name: "new", type: "of none" }] }));
  await press(page, "button", "Check");
  await sees(page, "This can't be imported", "of none");
  await type(page, "Text", JSON.stringify({ ...exported, features: [{ name: "new" }] }));
  await press(page, "button", "Check");
  await sees(page, "This would be imported: 1 flag.");
  await press(page, "button", "Import");
  await seesNoDialog(page);
  assert.equal((await read("/search/features?query=new")).total, 1);
});
