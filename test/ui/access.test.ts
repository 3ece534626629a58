import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld } from "../support/world.ts";
import { holds, openPage, press, pressAt, sees, seesNoDialog, skip, type, visit } from "./browser.ts";

const world = () => createWorld().project("a").feature("f", "a").member("a", 1, 4).member("a", 3);

test("a private project isn't listed for others, and its address shows an error and ways onwards", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  await request("/api/admin/projects/a", { method: "PUT", body: { name: "a", mode: "private" } });
  const page = await signedIn(4);
  await page.goto(new URL("/projects", page.url()).href);
  await page.waitForSelector("main :is(table, .nothing)");
  assert.equal(await page.$('a[href="/projects/a"]'), null);
  await page.goto(new URL("/projects/a", page.url()).href);
  await page.waitForSelector("main .failure");
  await press(page, "link", "All projects");
  await holds(page, "location.pathname === '/projects'");
});

test("the address of an archived flag leads to the archive, and an unknown address home", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  await request("/api/admin/projects/a/features/f", { method: "DELETE" });
  const page = await signedIn();
  await visit(page, "/projects/a/features/f");
  await sees(page, "is archived");
  await press(page, "link", "Archived flags of the project");
  await press(page, "button", "Revive");
  await visit(page, "/projects/a/features/f");
  await sees(page, "Settings");
  await visit(page, "/nowhere");
  await press(page, "link", "Home");
});

test("a change whose permission was revoked while the view is open is refused with a message, and its switch disabled", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const page = await signedIn(3);
  await page.goto(new URL("/projects/a/features/f", page.url()).href);
  const path = "/api/admin/projects/a/access";
  await page.waitForSelector("[role=switch]:not(:disabled)");
  const revoked = await request(path, { method: "PUT", body: { roles: [{ id: 4, users: [1] }] } });
  assert.equal(revoked.status, 200);
  await pressAt(page, "[role=switch]");
  await page.waitForSelector(".message.failure");
  await page.waitForSelector("[role=switch]:disabled");
  await press(page, "button", "Dismiss");
  await sees(page, "f");
});

/** Makes the project private, with no member but the administrator. */
async function revokeAccess(request: Awaited<ReturnType<typeof openPage>>["request"]) {
  const put = (path: string, body: unknown) => request(path, { method: "PUT", body });
  const members = await put("/api/admin/projects/a/access", { roles: [{ id: 4, users: [1] }] });
  const project = await put("/api/admin/projects/a", { name: "a", mode: "private" });
  assert.deepEqual([members.status, project.status], [200, 200]);
}

test("what is typed stays, and the page says why it can't be saved, when access to the project is lost", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const [settings, dialog] = [await signedIn(3), await signedIn(3)];
  await visit(settings, "/projects/a/features/f/settings");
  await type(settings, "Description", "what I want");
  await visit(dialog, "/projects/a?new=true");
  await type(dialog, "Name", "beta");
  await revokeAccess(request);
  await press(settings, "button", "Save");
  await settings.waitForSelector("main > .failure");
  await holds(settings, `document.querySelector("[name=description]").value === "what I want"`);
  await press(dialog, "button", "Create the flag");
  await dialog.waitForSelector("dialog .failure");
  await dialog.waitForSelector("main > .failure");
  await holds(dialog, `document.querySelector("dialog [name=name]").value === "beta"`);
  await press(dialog, "button", "Cancel");
  await press(dialog, "button", "Discard");
  await press(dialog, "link", "All projects");
});

test("a view in which nothing is typed leads elsewhere when access to the project is lost", {
  skip,
}, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const page = await signedIn(3);
  await visit(page, "/projects/a/features/f/settings");
  await revokeAccess(request);
  await press(page, "button", "Save");
  await press(page, "link", "All projects");
});

test("members are added with a role, and those who have one already aren't offered", { skip }, async (t) => {
  const { signedIn, request } = await openPage(t, world());
  const page = await signedIn();
  await visit(page, "/projects/a/people");
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
  const { users } = (await request("/api/admin/projects/a/access")).body;
  assert.deepEqual(users.map(({ id }: { id: number }) => id).toSorted(), [1, 3, 4]);
});

test("flags are created only by those who may", { skip }, async (t) => {
  const { signedIn } = await openPage(t, world());
  const page = await signedIn(4);
  await visit(page, "/projects/a");
  await sees(page, "f");
  assert.equal(await page.$("main button.main"), null);
});
