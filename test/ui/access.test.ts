import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import {
  hasValue,
  holds,
  isAt,
  open,
  press,
  pressAt,
  sees,
  seesNoDialog,
  test,
  type,
  visit,
} from "./browser.ts";

const WORLD = createWorld().project("a").feature("f", "a").member("a", 1, 4).member("a", 3);

test("a private project isn't listed for others, and its address shows an error and ways onwards", async (t) => {
  const { page, send } = await open(t, { world: WORLD, as: 4 });
  await send("PUT", "/projects/a", { name: "a", mode: "private" });
  await visit(page, "/projects");
  await page.waitForSelector("main :is(table, .nothing)");
  assert.equal(await page.$('a[href="/projects/a"]'), null);
  await visit(page, "/projects/a");
  await page.waitForSelector("main .failure");
  await press(page, "link", "All projects");
  await isAt(page, "/projects");
});

test("the address of an archived flag leads to the archive, and an unknown address home", async (t) => {
  const { page, send } = await open(t, { world: WORLD });
  await send("DELETE", "/projects/a/features/f");
  await visit(page, "/projects/a/features/f");
  await sees(page, "is archived");
  await press(page, "link", "Archived flags of the project");
  await press(page, "button", "Revive");
  await visit(page, "/projects/a/features/f");
  await sees(page, "Settings");
  await visit(page, "/nowhere");
  await press(page, "link", "Home");
});

test("a change whose permission was revoked meanwhile is refused with a message, and its switch disabled", async (t) => {
  const { page, send } = await open(t, { world: WORLD, as: 3, at: "/projects/a/features/f" });
  await page.waitForSelector("[role=switch]:not(:disabled)");
  await send("PUT", "/projects/a/access", { roles: [{ id: 4, users: [1] }] });
  await pressAt(page, "[role=switch]");
  await page.waitForSelector(".message.failure");
  await page.waitForSelector("[role=switch]:disabled");
  await press(page, "button", "Dismiss");
  await sees(page, "f");
});

/** Makes the project private, with no member but the administrator. */
async function revokeAccess({ send }: Pick<Awaited<ReturnType<typeof open>>, "send">) {
  await send("PUT", "/projects/a/access", { roles: [{ id: 4, users: [1] }] });
  await send("PUT", "/projects/a", { name: "a", mode: "private" });
}

test("what is typed stays, and the page says why it can't be saved, when access to the project is lost", async (t) => {
  const opened = await open(t, { world: WORLD, as: 3, at: "/projects/a/features/f/settings" });
  const { page: settings, signedIn } = opened;
  const dialog = await signedIn(3);
  await type(settings, "Description", "what I want");
  await visit(dialog, "/projects/a?new=true");
  await type(dialog, "Name", "beta");
  await revokeAccess(opened);
  await press(settings, "button", "Save");
  await settings.waitForSelector("main > .failure");
  await hasValue(settings, "description", "what I want");
  await press(dialog, "button", "Create the flag");
  await dialog.waitForSelector("dialog .failure");
  await dialog.waitForSelector("main > .failure");
  await hasValue(dialog, "name", "beta");
  await press(dialog, "button", "Cancel", "Discard");
  await press(dialog, "link", "All projects");
});

test("a view in which nothing is typed leads elsewhere when access to the project is lost", async (t) => {
  const opened = await open(t, { world: WORLD, as: 3, at: "/projects/a/features/f/settings" });
  await revokeAccess(opened);
  await press(opened.page, "button", "Save");
  await press(opened.page, "link", "All projects");
});

test("members are added with a role, and those who have one already aren't offered", async (t) => {
  const { page, read } = await open(t, { world: WORLD, at: "/projects/a/people" });
  await press(page, "button", "Add a member");
  await holds(page, "document.querySelector('[name=who]').textContent.includes('user4')");
  await holds(page, "!document.querySelector('[name=who]').textContent.includes('Vic Viewer')");
  await press(page, "button", "Add the member");
  await sees(page, "Choose a user or a group.");
  await page.select("[name=who]", "user 4");
  await press(page, "button", "Add the member");
  await sees(page, "Choose at least one role.");
  await press(page, "checkbox", "Member");
  await press(page, "button", "Add the member");
  await seesNoDialog(page);
  const { users } = await read("/projects/a/access");
  assert.deepEqual(users.map(({ id }: { id: number }) => id).toSorted(), [1, 3, 4]);
});

test("flags are created only by those who may", async (t) => {
  const { page } = await open(t, { world: WORLD, as: 4, at: "/projects/a" });
  await sees(page, "f");
  assert.equal(await page.$("main button.main"), null);
});
