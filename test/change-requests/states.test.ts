import assert from "node:assert/strict";
import { test } from "node:test";
import { watchLog } from "../support/server.ts";
import {
  ADMIN,
  APPLIER,
  APPROVER,
  AUTHOR,
  ON,
  openShop,
  PRODUCTION,
  PROPOSE,
  protectedWorld,
  REQUESTS,
  SHOP,
} from "./protected.ts";

test("a change is proposed, approved and applied, and each step is in the log", async (t) => {
  const { db, post, put, get, state, isOn } = await openShop(t);
  const recorded = watchLog(db);
  const draft = (await post(PROPOSE, AUTHOR, ON)).body;
  assert.deepEqual([draft.state, draft.minApprovals, draft.title], ["Draft", 1, undefined]);
  assert.deepEqual(draft.features[0].changes[0].payload, { enabled: true });
  assert.equal((await get(`${REQUESTS}/${draft.id}`, APPROVER)).status, 404, "a draft is a secret");
  assert.equal((await put(`${REQUESTS}/${draft.id}/title`, AUTHOR, { title: "Open" })).status, 204);
  assert.equal((await state(draft.id, AUTHOR, { state: "In review" })).body.state, "In review");
  assert.equal((await state(draft.id, AUTHOR, { state: "Approved" })).status, 403, "not one's own");
  assert.equal((await state(draft.id, APPLIER, { state: "Applied" })).status, 409, "not yet approved");
  assert.equal(
    (await state(draft.id, APPROVER, { state: "Approved", comment: "fine" })).body.state,
    "Approved",
  );
  assert.equal((await state(draft.id, APPROVER, { state: "Approved" })).status, 409, "once only");
  assert.equal((await state(draft.id, APPROVER, { state: "Applied" })).status, 403);
  assert.equal(await isOn(), false);
  const applied = (await state(draft.id, APPLIER, { state: "Applied" })).body;
  assert.equal(applied.state, "Applied");
  assert.deepEqual(Object.keys(applied.stateTimestamps), ["Draft", "In review", "Approved", "Applied"]);
  assert.equal(applied.comments[0].text, "fine");
  assert.equal(await isOn(), true);
  assert.deepEqual(
    recorded().map(({ type, createdByUserId }) => [type, createdByUserId]),
    [
      ["change-request-created", 2],
      ["change-added", 2],
      ["change-request-sent-to-review", 2],
      ["change-request-approved", 3],
      ["change-request-applied", 4],
      ["feature-strategy-add", 4],
      ["feature-environment-enabled", 4],
    ],
  );
  const notices = (await get("/api/admin/notifications", AUTHOR)).body;
  assert.ok(
    notices.some(({ message }: { message: string }) => /applied change request #1 \(Open\)/.test(message)),
  );
});

test("nothing changes a protected environment directly, and the refusal says what to do", async (t) => {
  const { post, put, remove, isOn } = await openShop(t);
  const refused = await post(`${PRODUCTION}/on`, AUTHOR);
  assert.equal(refused.status, 403);
  assert.match(
    refused.body.message,
    /SKIP_CHANGE_REQUEST in the environment production.*POST .*change-requests/,
  );
  const strategy = { name: "default" };
  for (const reply of [
    await post(`${PRODUCTION}/strategies`, AUTHOR, strategy),
    await put(`${SHOP}/features/checkout/variants`, AUTHOR, []),
    await remove(`${SHOP}/features/checkout`, AUTHOR),
    await post(`${SHOP}/features/checkout/dependencies`, AUTHOR, { feature: "search" }),
    await post(`${SHOP}/features/checkout/clone`, ADMIN, { name: "copy" }),
    await post("/api/admin/features-batch/import", AUTHOR, {
      project: "shop",
      environment: "production",
      data: { features: [{ name: "checkout" }], featureStrategies: [], tagTypes: [] },
    }),
  ])
    assert.equal(reply.status, 403);
  assert.equal((await post(`${PRODUCTION.replace("production", "development")}/on`, AUTHOR)).status, 200);
  assert.equal(await isOn(), false);
  assert.equal((await post(`${PRODUCTION}/on`, ADMIN)).status, 200, "an Admin may");
});

test("several changes can be sent at once, and what is wrong with one names it", async (t) => {
  const { post } = await openShop(t);
  const { body } = await post(PROPOSE, AUTHOR, [ON, { ...ON, feature: "search" }]);
  assert.deepEqual(
    body.features.map(({ name }: { name: string }) => name),
    ["checkout", "search"],
  );
  for (const [sent, path] of [
    [[], "body"],
    [[ON, { ...ON, action: "paint" }], "body.1.action"],
    [[ON, { feature: "search", action: "updateEnabled", payload: {} }], "body.1.payload.enabled"],
    [{ ...ON, feature: "nowhere" }, "body.0"],
    [{ feature: "search", action: "deleteStrategy", payload: { id: "none" } }, "body.0"],
    [{ action: "deleteSegment", payload: { id: 99 } }, "body.0"],
  ] as const) {
    const refused = await post(PROPOSE, AUTHOR, sent);
    assert.deepEqual([refused.status, refused.body.details[0].path], [400, path]);
    assert.doesNotMatch(refused.body.message, /deleted|any more/, "it may never have been there");
  }
});

test("what a change needs is converted as the operation that makes it directly does", async (t) => {
  const { post, put } = await openShop(t);
  const adding = (rollout: unknown) => ({
    feature: "checkout",
    action: "addStrategy",
    payload: { name: "flexibleRollout", disabled: "false", parameters: { rollout } },
  });
  const { id, features } = (await post(PROPOSE, AUTHOR, [ON, adding(50)])).body;
  const { payload, id: changeId } = features[0].changes[1];
  assert.deepEqual(payload, { name: "flexibleRollout", disabled: false, parameters: { rollout: "50" } });
  const edited = (await put(`${REQUESTS}/${id}/changes/${changeId}`, AUTHOR, adding(25))).body;
  assert.equal(edited.features[0].changes[1].payload.parameters.rollout, "25");
});

test("who was asked is told, but if none of them may approve, everyone who may is", async (t) => {
  const { propose, put, get, state } = await openShop(t);
  const id = await propose(ON);
  const told = async (as: string) => (await get("/api/admin/notifications", as)).body.length;
  const before = [await told(APPROVER), await told(APPLIER)];
  for (const [reviewers, more] of [
    [[4], [0, 1]],
    [[2], [1, 2]],
  ] as const) {
    assert.equal((await put(`${REQUESTS}/${id}/approvers`, AUTHOR, { reviewers })).status, 204);
    await state(id, AUTHOR, { state: "In review" });
    assert.deepEqual([await told(APPROVER), await told(APPLIER)], [before[0] + more[0], before[1] + more[1]]);
  }
});

test("an edit takes the approvals back", async (t) => {
  const { propose, post, get, state } = await openShop(t);
  const id = await propose(ON);
  await state(id, APPROVER, { state: "Approved" });
  await post(PROPOSE, AUTHOR, { ...ON, feature: "search" });
  const { state: now, approvals } = (await get(`${REQUESTS}/${id}`, AUTHOR)).body;
  assert.deepEqual([now, approvals], ["In review", []]);
});

test("what has changed since must be approved again", async (t) => {
  const { propose, post, get, state } = await openShop(t);
  const strategy = (await post(`${PRODUCTION}/strategies`, ADMIN, { name: "default", title: "all" })).body;
  const rename = (title: string) => ({
    feature: "checkout",
    action: "updateStrategy",
    payload: { id: strategy.id, name: "default", title },
  });
  const id = await propose(rename("proposed"));
  await state(id, APPROVER, { state: "Approved" });
  const { status } = await post(PROPOSE, ADMIN, rename("by an admin"));
  assert.equal(status, 200);
  const adminId = (await get(`${REQUESTS}/pending`, ADMIN)).body[0].id;
  await state(adminId, ADMIN, { state: "In review" });
  await state(adminId, APPROVER, { state: "Approved" });
  assert.equal((await state(adminId, ADMIN, { state: "Applied" })).status, 200);
  const [change] = (await get(`${REQUESTS}/${id}`, AUTHOR)).body.features[0].changes;
  assert.equal(change.conflict, "the strategy was changed since");
  assert.deepEqual([change.payload.snapshot.title, change.payload.title], ["all", "proposed"]);
  const refused = await state(id, APPLIER, { state: "Applied" });
  assert.deepEqual([refused.status, refused.body.name], [409, "ConflictError"]);
  assert.match(refused.body.message, /1 more approval, since what it changes has been changed/);
  assert.equal((await state(id, APPROVER, { state: "Approved" })).status, 200, "approved again");
  assert.equal((await state(id, APPLIER, { state: "Applied" })).status, 200);
});

test("two approvals are needed from two people who still may give them", async (t) => {
  const { propose, state, db } = await openShop(t, protectedWorld(2));
  const id = await propose(ON);
  assert.equal((await state(id, APPROVER, { state: "Approved" })).body.state, "In review");
  assert.equal((await state(id, APPLIER, { state: "Approved" })).body.state, "Approved");
  db.prepare("DELETE FROM users WHERE id = 3").run();
  assert.match((await state(id, APPLIER, { state: "Applied" })).body.message, /needs 1 more approval$/);
  assert.equal((await state(id, ADMIN, { state: "Approved" })).status, 200);
  assert.equal((await state(id, APPLIER, { state: "Applied" })).status, 200);
});

test("a request is tried in the playground, and nothing of it stays", async (t) => {
  const { propose, post, isOn, db } = await openShop(t);
  const id = await propose(ON);
  const recorded = watchLog(db);
  const { status, body } = await post(`/api/admin/playground/change-request/${id}`, APPROVER, {
    context: { appName: "till", userId: "1,2" },
  });
  assert.equal(status, 200);
  const [checkout, search] = body.features;
  assert.deepEqual(
    [checkout.name, checkout.environments.production.map((one: { isEnabled: boolean }) => one.isEnabled)],
    ["checkout", [true, true]],
  );
  assert.equal(search.environments.production[0].isEnabled, false);
  assert.deepEqual([await isOn(), recorded()], [false, []]);
});
