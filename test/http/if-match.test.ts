import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOf } from "../../src/http/if-match.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const FLAG = "/api/admin/projects/a/features/f";

const STRATEGY = { id: "s", name: "default" };

const world = () =>
  createWorld()
    .project("a")
    .feature("f", "a", { environments: [{ name: "development", strategies: [STRATEGY] }] })
    .feature("g", "a")
    .add("tag", { type: "simple", value: "tag" });

async function start(t: Parameters<typeof openServer>[0]) {
  const server = await openServer(t, world());
  const tagOf = async (path: string) => (await server.request(path)).headers.get("etag")!;
  const change = (method: string, path: string, match: string, body?: object) =>
    server.request(path, { method, headers: { "if-match": match }, ...(body && { body }) });
  return { ...server, tagOf, change };
}

test("a change is refused if the resource has changed meanwhile", async (t) => {
  const { db, tagOf, change, request } = await start(t);
  const read = await tagOf(FLAG);
  assert.equal((await change("PUT", FLAG, read, { description: "mine" })).status, 200);
  const recorded = watchLog(db);
  const late = await change("PUT", FLAG, read, { description: "theirs" });
  assert.deepEqual([late.status, late.body.name], [412, "PreconditionFailedError"]);
  assertRecorded(recorded(), []);
  assert.equal((await request(FLAG)).body.description, "mine");
  assert.equal(late.headers.get("etag"), await tagOf(FLAG));
  assert.equal((await change("PUT", FLAG, await tagOf(FLAG), { description: "theirs" })).status, 200);
});

test("of many concurrent changes to the same version, one succeeds", async (t) => {
  const { tagOf, change } = await start(t);
  const read = await tagOf(FLAG);
  const changes = Array.from({ length: 20 }, (_, index) =>
    change("PATCH", FLAG, read, [{ op: "replace", path: "/description", value: `${index}` }]),
  );
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [200, ...Array(19).fill(412)]);
});

test("*, a list with the ETag, and the weak ETag of a compressed response match", async (t) => {
  const { tagOf, change } = await start(t);
  const accept = async (match: string) =>
    assert.equal((await change("PUT", FLAG, match, { description: match })).status, 200, match);
  await accept("*");
  await accept(`"other", ${await tagOf(FLAG)}`);
  await accept(`W/${await tagOf(FLAG)}`);
});

test("last-seen times and favorites are not part of a flag's version", async (t) => {
  const { db, tagOf, change, request } = await start(t);
  const read = await tagOf(FLAG);
  await request(`${FLAG}/favorites`, { method: "POST", body: {} });
  db.exec("UPDATE feature_environments SET last_seen_at = '2026-02-01T00:00:00.000Z'");
  const now = await tagOf(FLAG);
  assert.notEqual(now, read);
  assert.equal((await change("PUT", FLAG, read, { description: "mine" })).status, 200);
});

test("a project and its overview, which omits flags, have the same version", async (t) => {
  const { tagOf, change, request } = await start(t);
  const [project, settings] = ["/api/admin/projects/a", { featureNaming: { pattern: "f+" } }];
  const read = await tagOf(`${project}/overview`);
  await request(`${project}/favorites`, { method: "POST", body: {} });
  assert.equal((await change("PUT", project, read, { name: "A" })).status, 200);
  assert.equal((await change("PUT", `${project}/settings`, read, settings)).status, 412);
  const now = await tagOf(`${project}/overview`);
  assert.equal((await change("PUT", `${project}/settings`, now, settings)).status, 200);
});

test("a resource without a GET of its own has the version of its parent", async (t) => {
  const { tagOf, change } = await start(t);
  const [environment, tags] = [`${FLAG}/environments/development`, "/api/admin/features/f/tags"];
  const [state, tagged] = [await tagOf(environment), await tagOf(tags)];
  assert.equal((await change("POST", `${environment}/on`, state)).status, 200);
  assert.equal((await change("POST", `${environment}/off`, state)).status, 412);
  assert.equal((await change("POST", tags, tagged, { type: "simple", value: "tag" })).status, 201);
  assert.equal((await change("DELETE", `${tags}/simple/tag`, tagged)).status, 412);
});

test("the rest of the request is checked first", async (t) => {
  const { request, change } = await start(t);
  const wrong = { method: "PUT", headers: { "if-match": '"x"' } };
  const tell = async (path: string, call: object) => (await request(path, { ...wrong, ...call })).status;
  assert.equal(await tell(FLAG, { as: null, body: {} }), 401);
  assert.equal(await tell(FLAG, { as: personal(3), body: {} }), 403);
  assert.equal(await tell(FLAG, { body: { stale: "maybe" } }), 400);
  assert.equal(await tell("/api/admin/projects/a/features/nope", { body: {} }), 404);
  assert.equal((await change("POST", "/api/admin/features-batch/export", "*", {})).status, 400);
});

test("If-Match is refused rather than ignored if there is nothing to compare with", async (t) => {
  const { change } = await start(t);
  const body = { environment: "development", features: ["f"] };
  const reply = await change("POST", "/api/admin/features-batch/export", "*", body);
  assert.deepEqual([reply.status, reply.body.name], [412, "PreconditionFailedError"]);
});

test("every update and removal has something to compare with, with these exceptions", () => {
  const updates = OPERATIONS.filter(({ method }) => ["PUT", "PATCH", "DELETE"].includes(method));
  const without = updates.filter((one) => targetOf(one, OPERATIONS) === undefined);
  assert.deepEqual(without.map(({ id }) => id).toSorted(), ["deleteFeature", "updateFeedback"]);
});
