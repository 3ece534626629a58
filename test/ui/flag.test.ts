import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import {
  holds,
  isAt,
  open,
  press,
  pressAt,
  pressText,
  sees,
  seesNoDialog,
  test,
  type,
  visit,
} from "./browser.ts";

test("from nothing to a flag that some users get: project, flag, strategy with a constraint, turned on", async (t) => {
  const { page, request } = await open(t, {
    world: createWorld().add("contextField", { name: "country" }),
    at: "/projects",
  });
  await press(page, "button", "New project");
  await type(page, "Name", "Pay");
  await type(page, "ID", "no id");
  await press(page, "button", "Create the project");
  await page.waitForSelector(".problem");
  assert.equal((await page.$$(".problem, [role=alert]")).length, 1, "it is shown once");
  await holds(page, `document.activeElement.name === "id"`);
  await type(page, "ID", "pay");
  await press(page, "button", "Create the project");
  await sees(page, "No flags yet");
  await type(page, "Search flags", "nothing");
  await sees(page, "No flags match");
  await press(page, "button", "New flag");
  await type(page, "Name", "new-checkout");
  await press(page, "button", "Create the flag");
  await pressAt(page, 'section[aria-label="Environment development"] footer button');
  await type(page, "Percent", "25");
  await press(page, "button", "Add a constraint");
  await type(page, "Context field of constraint 1", "country");
  await type(page, "Values of constraint 1", "NO\nSE\n");
  await press(page, "button", "Add the strategy");
  await sees(page, "25% of users");
  await press(page, "switch", "new-checkout in development");
  await page.waitForSelector('[role=switch][aria-checked="true"]');
  const { body } = await request("/api/admin/projects/pay/features/new-checkout/environments/development");
  assert.equal(body.enabled, true);
  assert.partialDeepStrictEqual(body.strategies.at(-1), {
    parameters: { rollout: "25" },
    constraints: [{ contextName: "country", operator: "IN", values: ["NO", "SE"] }],
  });
  await press(page, "button", "Try it with a context");
  await page.waitForSelector("dialog option[value=country]");
  await page.select("select[aria-label='Name of field 1']", "country");
  await type(page, "Value of country", "DK");
  await press(page, "button", "Evaluate");
  await sees(page, "country is one of");
});

const world = () =>
  createWorld()
    .project("a")
    .feature("f", "a", {
      environments: [{ name: "development", strategies: [{ id: "s", name: "default", title: "mine" }] }],
    });

test("flags are searched and sorted, as the address remembers; several are changed at once", async (t) => {
  const many = Array.from({ length: 60 }, (_, index) => `flag-${String(index).padStart(2, "0")}`);
  const filled = many.reduce((filling, name) => filling.feature(name, "a"), createWorld().project("a"));
  const { page, request } = await open(t, { world: filled, at: "/projects/a?sortBy=name&sortOrder=asc" });
  await sees(page, "1–50 of 60");
  await press(page, "button", "Next");
  await sees(page, "51–60 of 60");
  await page.reload();
  await sees(page, "51–60 of 60");
  await pressText(page, "Columns");
  await pressText(page, "Last seen");
  await page.select("::-p-aria(Rows to a page)", "100");
  await sees(page, "1–60 of 60");
  await page.reload();
  await sees(page, "1–60 of 60");
  await holds(page, "!document.querySelector('thead').innerText.includes('Last seen')");
  await type(page, "Search flags", "flag-07");
  await sees(page, "1–1 of 1");
  assert.match(page.url(), /query=flag-07/);
  await press(page, "checkbox", "Select flag-07");
  await press(page, "button", "Mark as stale");
  await holds(page, "document.querySelector('.badge.bad')?.textContent === 'stale'");
  assert.equal((await request("/api/admin/projects/a/features/flag-07")).body.stale, true);
  await type(page, "Search flags", "50%41");
  await holds(page, "location.search.includes('query=50%2541')");
  await sees(page, "No flags match");
  await page.reload();
  await holds(page, `document.querySelector("input[type=search]")?.value === "50%41"`);
});

test("Back closes the dialogs of a flag and stays with it; their addresses open them", async (t) => {
  const { page } = await open(t, { world: world() });
  const flag = new URL("/projects/a/features/f", page.url()).href;
  await visit(page, flag);
  for (const label of ["Add a tag", "Add a strategy", "Variants", "Edit: Everyone", "Remove: Everyone"]) {
    await press(page, "button", label);
    await page.waitForSelector("dialog");
    await page.goBack();
    await seesNoDialog(page);
    assert.equal(page.url(), flag);
  }
  await visit(page, `${flag}?edit=development/s`);
  await holds(page, `document.querySelector("dialog [name=title]")?.value === "mine"`);
});

test("removing the last strategy says that it turns the flag off", async (t) => {
  const strategies = [
    { id: "s", name: "default" },
    { id: "t", name: "default", disabled: true },
  ];
  const filled = createWorld()
    .project("ä")
    .feature("f", "ä", { environments: [{ name: "development", enabled: true, strategies }] });
  const { page } = await open(t, { world: filled, at: "/projects/ä/features/f" });
  await holds(page, `document.querySelector(".tabs [aria-current]").textContent === "Flag"`);
  await press(page, "button", "Remove: Everyone");
  await sees(page, "the flag will be turned off");
});

test("a user who may not change a flag sees no edit buttons and a disabled switch", async (t) => {
  const { page } = await open(t, { world: world(), as: 3, at: "/projects/a/features/f" });
  await sees(page, "Everyone");
  assert.equal(await page.$('button[aria-label^="Edit"]'), null);
  assert.equal(await page.evaluate("document.querySelector('[role=switch]').disabled"), true);
});

test("a flag that is archived, and a project that is deleted, aren't requested again", async (t) => {
  const { page, request } = await open(t, { world: createWorld().project("a").feature("f", "a") });
  const missed: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 404) missed.push(response.url());
  });
  await visit(page, "/projects/a/settings");
  await press(page, "button", "Delete permanently");
  await sees(page, "Archive its flags first");
  await visit(page, "/projects/a/features/f/settings");
  await press(page, "button", "Archive", "Archive the flag");
  await sees(page, "No flags yet");
  await visit(page, "/projects/a/settings");
  await press(page, "button", "Delete permanently", "Delete the project");
  await holds(page, "location.pathname === '/projects'");
  await request("/api/admin/projects", { method: "POST", body: { id: "later", name: "Later" } });
  await sees(page, "Later");
  assert.deepEqual(missed, []);
});

const WORLD = createWorld()
  .project("a")
  .feature("f", "a")
  .feature("old", "a", { archivedAt: "2026-02-01T00:00:00Z" })
  .member("a", 3);

test("a project's default strategy is set, and a flag that is turned on gets it", async (t) => {
  const { page, read } = await open(t, { world: WORLD, at: "/projects/a/environments" });
  await press(page, "button", "Edit the default strategy in development");
  await type(page, "Percent", "25");
  await press(page, "button", "Save the default strategy");
  await seesNoDialog(page);
  await sees(page, "25% of users");
  await visit(page, "/projects/a/features/f");
  await press(page, "switch", "f in development");
  await sees(page, "25% of users");
  const strategies = await read("/projects/a/features/f/environments/development/strategies");
  assert.partialDeepStrictEqual(strategies, [{ parameters: { rollout: "25", groupId: "f" } }]);
});

test("a user who may not change a project sees its default strategies, but no button to edit them", async (t) => {
  const { page } = await open(t, { world: WORLD, as: 3, at: "/projects/a/environments" });
  await sees(page, "Everyone");
  assert.equal(await page.$("[aria-label^='Edit the default']"), null);
});

const DIALOGS = {
  "/projects/a/people": ["Add a member", "Edit roles of Vic Viewer", "Remove Vic Viewer"],
  "/projects/a/environments": ["Edit the default strategy in development"],
  "/projects/a/tokens": ["New token"],
  "/projects/a/archive": ["Delete old permanently"],
  "/projects/a/settings": ["Archive the project", "Delete permanently"],
  "/projects/a/features/f/settings": ["Copy", "Move", "Mark as completed", "Archive"],
};

test("Back closes each dialog of a project and stays in the view", async (t) => {
  const { page } = await open(t, { world: WORLD });
  for (const [address, labels] of Object.entries(DIALOGS)) {
    await visit(page, address);
    for (const label of labels) {
      await press(page, "button", label);
      await page.waitForSelector("dialog");
      await page.goBack();
      await seesNoDialog(page);
      await isAt(page, address);
    }
  }
});

test("a flag's links are added, opened in a new tab, and removed; one that is no web address is only text", async (t) => {
  const world = createWorld()
    .project("a")
    .feature("f", "a", { links: [{ url: "javascript:alert(1)", title: "Script" }] });
  const { page } = await open(t, { world, at: "/projects/a/features/f" });
  await press(page, "button", "Add a link");
  await type(page, "Address", "nowhere at all");
  await press(page, "button", "Add the link");
  await sees(page, "be a web address such as");
  await type(page, "Address", "code.example/?q=f");
  await type(page, "Title", "Code");
  await press(page, "button", "Add the link");
  await page.waitForSelector('.chip a[href="https://code.example/?q=f"][target="_blank"]');
  assert.equal((await page.$$('.chip a[href^="javascript"]')).length, 0);
  await press(page, "button", "Remove the link Script");
  await holds(
    page,
    "[...document.querySelectorAll('.chip')].every((chip) => !chip.innerText.includes('Script'))",
  );
});
