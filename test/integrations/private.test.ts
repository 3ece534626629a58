import assert from "node:assert/strict";
import { test } from "node:test";
import { openDelivering } from "../support/delivering.ts";
import { openReceiver } from "../support/receiver.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

/*
 * Of a private project, an integration receives what the person who last edited it may see. User 2 is an Editor, and may
 * change integrations; user 3 is the Owner of the private project.
 */

const ADDONS = "/api/admin/addons";

const withHidden = (w: World) =>
  w
    .add("role", {
      id: 8,
      name: "integrator",
      type: "custom-root",
      permissions: [{ name: "CREATE_ADDON" }, { name: "UPDATE_ADDON" }],
    })
    .user({ rootRole: 8 })
    .user({ rootRole: 8 })
    .project("hidden", { mode: "private" })
    .member("hidden", 5, 4);

type Delivering = Awaited<ReturnType<typeof openDelivering>>;

const addSecret = ({ request }: Delivering, name = "secret") =>
  request("/api/admin/projects/hidden/features", { method: "POST", body: { name } });

const hookTo = (url: string, rest: object = {}) => ({
  provider: "webhook",
  enabled: true,
  parameters: { url },
  events: ["feature-created", "project-user-added", "project-access-updated"],
  ...rest,
});

/** Creates a flag in the private project, then one in `a`. @returns the flags that the receiver was told of */
async function toldOf(site: Delivering, received: ReadonlyArray<{ body: string }>, expected: number) {
  await addSecret(site);
  await site.addFlag("open");
  await site.recorded(expected);
  return received.map(({ body }) => JSON.parse(body).featureName);
}

for (const [maker, as, flags] of [
  ["an Admin", personal(1), ["secret", "open"]],
  ["a service token", SERVICE, ["secret", "open"]],
  ["a member", personal(5), ["secret", "open"]],
  ["an Editor", personal(2), ["open"]],
  ["someone with a custom role", personal(6), ["open"]],
] as const)
  for (const projects of [[], ["hidden", "a"], ["*"]])
    test(`an integration made by ${maker} for ${projects} receives ${flags}`, async (t) => {
      const receiver = await openReceiver(t);
      const site = await openDelivering(t, { given: withHidden });
      const body = hookTo(receiver.url, { projects });
      assert.equal((await site.request(ADDONS, { method: "POST", as, body })).status, 201);
      assert.deepEqual(await toldOf(site, receiver.received, flags.length), flags);
    });

test("what an earlier version or a dataset brought receives nothing private, unless its editor is known", async (t) => {
  for (const [editor, flags] of [
    [{}, ["open"]],
    [{ editedByUserId: 2 }, ["open"]],
    [{ editedByUserId: 99 }, ["open"]],
    [{ editedByUserId: 1 }, ["secret", "open"]],
    [{ editedByUserId: -42 }, ["secret", "open"]],
  ] as const) {
    const receiver = await openReceiver(t);
    const given = (w: World) => withHidden(w).integration({ ...hookTo(receiver.url), ...editor });
    const site = await openDelivering(t, { given });
    assert.deepEqual(await toldOf(site, receiver.received, flags.length), flags);
  }
});

test("after its maker has lost the role, or was deleted, it receives nothing private", async (t) => {
  for (const [method, path] of [
    ["DELETE", "/api/admin/projects/hidden/users/5/roles"],
    ["DELETE", "/api/admin/user-admin/5"],
  ] as const) {
    const receiver = await openReceiver(t);
    const site = await openDelivering(t, { given: (w) => withHidden(w).member("hidden", 1, 4) });
    await site.request(ADDONS, { method: "POST", as: personal(5), body: hookTo(receiver.url) });
    assert.equal((await site.request(path, { method })).status, 200);
    assert.deepEqual(await toldOf(site, receiver.received, 1), ["open"]);
  }
});

/** An Admin's integration with an undelivered event of the private project, then edited by the Editor. */
async function openTakenOver(t: Parameters<typeof openDelivering>[0]) {
  const receiver = await openReceiver(t);
  const site = await openDelivering(t, { given: withHidden });
  const { request } = site;
  await request(ADDONS, { method: "POST", body: hookTo("http://127.0.0.1:9/") });
  await request(`${ADDONS}/1/pause`, { method: "POST" });
  for (const name of ["secret", "s2", "s3", "s4", "s5", "s6", "s7"]) await addSecret(site, name);
  const edited = await request(`${ADDONS}/1`, { method: "PUT", as: personal(2), body: hookTo(receiver.url) });
  assert.equal(edited.status, 200);
  return { ...site, receiver, edited };
}

test("what waits when someone else edits it is not sent to them, and the record says why", async (t) => {
  const { request, recorded, addFlag, receiver, edited } = await openTakenOver(t);
  assert.equal(edited.body.delivery.waiting, 0, "they don't learn that it waits");
  assert.equal((await request(`${ADDONS}/1`)).body.delivery.waiting, 7);
  await request(`${ADDONS}/1/resume`, { method: "POST" });
  const [record] = await recorded(7);
  assert.deepEqual([record!.state, record!.event.featureName], ["failed", "s7"]);
  assert.match(record!.stateDetails, /private project/);
  await request(`${ADDONS}/1/events/${record!.id}/redeliver`, { method: "POST", as: personal(2) });
  await recorded(8);
  assert.equal(receiver.received.length, 0);
  await addFlag("open");
  await receiver.has(1);
  assert.equal(
    JSON.parse(receiver.received[0]!.body).featureName,
    "open",
    "and the next one follows at once",
  );
});

test("a test sends what both the last editor and the caller may see", async (t) => {
  const receiver = await openReceiver(t);
  const site = await openDelivering(t, { given: withHidden });
  await site.request(ADDONS, { method: "POST", body: hookTo(receiver.url, { enabled: false }) });
  await addSecret(site);
  const tried = async (as: string) =>
    (await site.request(`${ADDONS}/1/test`, { method: "POST", as })).body.event.featureName;
  assert.equal(await tried(personal(1)), "secret");
  assert.equal(await tried(personal(2)), null, "an event about integrations");
  await site.request(`${ADDONS}/1`, {
    method: "PUT",
    as: personal(2),
    body: hookTo(receiver.url, { enabled: false }),
  });
  assert.equal(await tried(personal(1)), null);
});
