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
  REQUESTS,
  SHOP,
} from "./protected.ts";

const SPARE = { ...ON, feature: "search" };

test("of two people who apply at once, one does", async (t) => {
  const { propose, state, db } = await openShop(t);
  const id = await propose(ON);
  await state(id, APPROVER, { state: "Approved" });
  const recorded = watchLog(db);
  const replies = await Promise.all([1, 2, 3].map(() => state(id, APPLIER, { state: "Applied" })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
  assert.equal(recorded().filter(({ type }) => type === "feature-environment-enabled").length, 1);
});

test("an approval of turning a flag on is one of whom it is turned on for", async (t) => {
  const { propose, post, state } = await openShop(t);
  const id = await propose(ON);
  await state(id, APPROVER, { state: "Approved" });
  assert.equal((await post(`${PRODUCTION}/strategies`, ADMIN, { name: "default" })).status, 200);
  const { status, body } = await state(id, APPLIER, { state: "Applied" });
  assert.deepEqual([status, body.name], [409, "ConflictError"]);
});

test("of changes that can't all be made, none is, and nothing is recorded", async (t) => {
  const { propose, state, db, isOn, get } = await openShop(t);
  const dependency = { feature: "search", action: "addDependency", payload: { feature: "search" } };
  const id = await propose([ON, dependency]);
  await state(id, APPROVER, { state: "Approved" });
  const recorded = watchLog(db);
  const { status, body } = await state(id, APPLIER, { state: "Applied" });
  assert.equal(status, 409);
  assert.match(body.message, /^Change 2 \(addDependency\) is refused: A flag can't depend on itself/);
  assert.deepEqual([await isOn(), recorded()], [false, []]);
  assert.equal((await get(`${REQUESTS}/${id}`, AUTHOR)).body.state, "Approved");
});

test("a request has at most 1,000 changes", async (t) => {
  const { post, get } = await openShop(t);
  const many = Array.from({ length: 1000 }, () => SPARE);
  const { status, body } = await post(PROPOSE, AUTHOR, many);
  assert.equal(status, 200);
  const more = await post(PROPOSE, AUTHOR, SPARE);
  assert.deepEqual([more.status, more.body.name], [400, "ExceedsLimitError"]);
  assert.equal((await get(`${REQUESTS}/${body.id}`, AUTHOR)).body.features[0].changes.length, 1000);
});

test("a draft is nobody else's business, wherever one might see it", async (t) => {
  const { post, get, put } = await openShop(t);
  const { id } = (await post(PROPOSE, AUTHOR, { ...ON, action: "addStrategy", payload: { name: "default" } }))
    .body;
  await put(`${REQUESTS}/${id}/title`, AUTHOR, { title: "takeover" });
  await post(PROPOSE, AUTHOR, SPARE);
  const seen = async (as: string) => {
    const [one, all, pending, count, search, flags, log] = await Promise.all([
      get(`${REQUESTS}/${id}`, as),
      get(REQUESTS, as),
      get(`${REQUESTS}/pending/checkout`, as),
      get(`${REQUESTS}/count`, as),
      get("/api/admin/search/change-requests", as),
      get("/api/admin/search/features?project=IS:shop", as),
      post("/api/admin/events/search", as, { query: "takeover" }),
    ]);
    const ids = flags.body.features.flatMap(({ environments }: { environments: object[] }) =>
      environments.flatMap((one: { changeRequestIds?: number[] }) => one.changeRequestIds ?? []),
    );
    return [
      one.status,
      all.body.length,
      pending.body.length,
      count.body.total,
      search.body.total,
      ids.length,
      log.body.totalEvents,
    ];
  };
  assert.deepEqual(await seen(AUTHOR), [200, 1, 1, 0, 1, 2, 0]);
  assert.deepEqual(await seen(APPROVER), [404, 0, 0, 0, 0, 0, 0]);
});

test("a request outlives its environment, but can't be applied", async (t) => {
  const { propose, remove, get, post, state } = await openShop(t);
  const id = await propose(ON);
  await state(id, APPROVER, { state: "Approved" });
  assert.equal((await remove(`${SHOP}/environments/production`, ADMIN)).status, 200);
  const { status, body } = await get(`${REQUESTS}/${id}`, AUTHOR);
  const conflict = "there is no environment production in the project";
  assert.deepEqual([status, body.features[0].conflict], [200, conflict]);
  assert.equal((await state(id, APPLIER, { state: "Applied" })).status, 409);
  const tried = await post(`/api/admin/playground/change-request/${id}`, ADMIN, {
    context: { appName: "x" },
  });
  assert.equal(tried.status, 409);
});

test("others can't touch a request, and ids of elsewhere lead nowhere", async (t) => {
  const { propose, put, remove, post, state } = await openShop(t);
  const id = await propose([ON, SPARE]);
  assert.equal((await put(`${REQUESTS}/${id}/title`, APPROVER, { title: "x" })).status, 403);
  assert.equal((await put(`${REQUESTS}/${id}/changes/1`, APPROVER, ON)).status, 403);
  assert.equal((await remove(`${REQUESTS}/${id}/changes/1`, ADMIN)).status, 403);
  assert.equal((await remove(`${REQUESTS}/${id}`, AUTHOR)).status, 409, "it is no draft any more");
  assert.equal((await state(id, APPROVER, { state: "Cancelled" })).status, 403);
  for (const wrong of ["0", "99", "-1", "1.5", "x", "9007199254740993"])
    assert.equal((await post(`${REQUESTS}/${wrong}/comments`, AUTHOR, { text: "x" })).status, 404);
  assert.equal(
    (await put(`${REQUESTS.replace("shop", "default")}/${id}/title`, ADMIN, { title: "x" })).status,
    404,
  );
});

test("a segment can't be taken out of its project by a request", async (t) => {
  const { propose, post, get, state } = await openShop(t);
  const constraints: never[] = [];
  const { id } = (await post("/api/admin/segments", ADMIN, { name: "staff", project: "shop", constraints }))
    .body;
  const payload = { id, name: "people", project: null, constraints };
  const request = await propose([{ action: "updateSegment", payload }]);
  const [proposed] = (await get(`${REQUESTS}/${request}`, APPROVER)).body.segments;
  assert.deepEqual([proposed.payload.project, proposed.payload.snapshot.project], [undefined, "shop"]);
  await state(request, APPROVER, { state: "Approved" });
  assert.equal((await state(request, APPLIER, { state: "Applied" })).status, 200);
  const { name, project } = (await get(`/api/admin/segments/${id}`, ADMIN)).body;
  assert.deepEqual([name, project], ["people", "shop"]);
});

test("what is taken out of the project, or shared with it, can't be changed there either", async (t) => {
  const { post, put } = await openShop(t);
  const segment = async (name: string, more = {}) =>
    (await post("/api/admin/segments", ADMIN, { name, constraints: [], ...more })).body.id;
  const own = await segment("own", { project: "shop" });
  const [common, unused] = [await segment("common"), await segment("unused")];
  await post(`${PRODUCTION}/strategies`, ADMIN, { name: "default", segments: [common] });
  assert.equal((await post("/api/admin/projects", AUTHOR, { id: "mine", name: "mine" })).status, 201);
  const replace = (id: number) => put(`/api/admin/segments/${id}`, AUTHOR, { name: "all", constraints: [] });
  for (const refused of [
    await replace(own),
    await replace(common),
    await post(`${SHOP}/features/checkout/changeProject`, AUTHOR, { newProjectId: "mine" }),
  ]) {
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /ADMIN to do this: in the project shop, changes of production must/);
  }
  assert.equal((await replace(unused)).status, 204);
});

test("an approval of a strategy is one of whom its segments name", async (t) => {
  const { propose, post, put, state } = await openShop(t);
  const segment = { name: "staff", constraints: [{ contextName: "userId", operator: "IN", values: ["7"] }] };
  const { id } = (await post("/api/admin/segments", AUTHOR, segment)).body;
  const adding = { ...ON, action: "addStrategy", payload: { name: "default", segments: [id] } };
  const request = await propose(adding);
  await state(request, APPROVER, { state: "Approved" });
  assert.equal((await put(`/api/admin/segments/${id}`, AUTHOR, { ...segment, constraints: [] })).status, 204);
  const { message } = (await state(request, APPLIER, { state: "Applied" })).body;
  assert.match(message, /needs 1 more approval, since what it changes has been changed/);
  await state(request, APPROVER, { state: "Approved" });
  assert.equal((await state(request, APPLIER, { state: "Applied" })).status, 200);
});

test("a flag whose only strategy is removed before it is enabled gets the default one, which is shown", async (t) => {
  const { propose, post, get } = await openShop(t);
  const { id } = (await post(`${PRODUCTION}/strategies`, ADMIN, { name: "default" })).body;
  const request = await propose([{ ...ON, action: "deleteStrategy", payload: { id } }, ON]);
  const [feature] = (await get(`${REQUESTS}/${request}`, APPROVER)).body.features;
  assert.equal(feature.defaultChange?.payload.name, "flexibleRollout");
});

test("a request without changes is not approved, nor has it a title of spaces", async (t) => {
  const { propose, put, remove, state } = await openShop(t);
  const id = await propose(ON);
  assert.equal((await remove(`${REQUESTS}/${id}/changes/1`, AUTHOR)).status, 200);
  assert.match((await state(id, APPROVER, { state: "Approved" })).body.message, /has no changes$/);
  assert.equal((await put(`${REQUESTS}/${id}/title`, AUTHOR, { title: "  " })).status, 400);
});

test("what enabling a flag adds is shown, and is part of what is approved", async (t) => {
  const { propose, post, get, state } = await openShop(t);
  const setDefault = (rollout: string) =>
    post(`${SHOP}/environments/production/default-strategy`, AUTHOR, {
      name: "flexibleRollout",
      parameters: { rollout },
    });
  await setDefault("5");
  const id = await propose([ON, { ...ON, action: "addStrategy", payload: { name: "default" } }]);
  const { defaultChange } = (await get(`${REQUESTS}/${id}`, APPROVER)).body.features[0];
  assert.equal(defaultChange?.payload.parameters.rollout, "5");
  await state(id, APPROVER, { state: "Approved" });
  await setDefault("100");
  assert.match((await state(id, APPLIER, { state: "Applied" })).body.message, /needs 1 more approval, since/);
});

test("what was applied is undone as one, by whoever may change it directly", async (t) => {
  const { propose, state, post, isOn, db } = await openShop(t);
  const id = await propose(ON);
  await state(id, APPROVER, { state: "Approved" });
  await state(id, APPLIER, { state: "Applied" });
  const applied = db.prepare("SELECT id FROM events WHERE type = 'change-request-applied'").pluck().get();
  assert.equal((await post(`/api/admin/events/${applied}/undo`, AUTHOR)).status, 403);
  assert.equal((await post(`/api/admin/events/${applied}/undo`, ADMIN)).status, 200);
  assert.equal(await isOn(), false);
});

test("a request that was begun when fewer had to approve doesn't stay easier to apply", async (t) => {
  const { propose, post, put, get, state } = await openShop(t);
  const id = await propose(ON);
  const config = `${SHOP}/environments/production/change-requests/config`;
  await put(config, ADMIN, { changeRequestsEnabled: true, requiredApprovals: 2 });
  await post(PROPOSE, AUTHOR, SPARE);
  assert.equal((await get(`${REQUESTS}/${id}`, AUTHOR)).body.minApprovals, 2);
  assert.equal((await state(id, APPROVER, { state: "Approved" })).body.state, "In review");
});

test("approvals that are switched on later hold for what was begun before", async (t) => {
  const { post, put } = await openShop(t);
  const { id } = (await post(PROPOSE.replace("production", "development"), AUTHOR, ON)).body;
  const state = (as: string, name: string) => put(`${REQUESTS}/${id}/state`, as, { state: name });
  assert.equal((await state(AUTHOR, "In review")).body.state, "Approved");
  const config = `${SHOP}/environments/development/change-requests/config`;
  assert.equal((await put(config, ADMIN, { changeRequestsEnabled: true })).status, 204);
  assert.equal((await state(AUTHOR, "Applied")).status, 403);
  assert.match((await state(ADMIN, "Applied")).body.message, /needs 1 more approval/);
});
