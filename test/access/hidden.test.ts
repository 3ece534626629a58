import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SYSTEM } from "../../src/access/actor.ts";
import { hashSecret } from "../../src/access/token.ts";
import { hiddenProjects } from "../../src/access/visibility.ts";
import { announceApplications } from "../../src/applications/applications-store.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { write } from "../../src/events/write.ts";
import type { Operation } from "../../src/http/operation.ts";
import { startOfHour } from "../../src/lib/time.ts";
import { exampleOf } from "../../src/server/examples.ts";
import { SURFACES } from "../../src/server/surfaces.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { exampleWorld } from "../support/examples.ts";
import { asChunks, openServer } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";
import { exported } from "../transfer/examples.ts";
import { empty } from "../transfer/importing.ts";

/*
 * Two servers with the same content, except that in one of them a private project has content too. Whoever is no member
 * of it gets the same bytes from both for every reading operation: with its example, with every parameter replaced by a
 * name or an id of the hidden content, and with every parameter of the query likewise. Sent the same way, no changing
 * operation changes that content.
 */

const NOW = Date.parse("2026-02-01T12:30:00.000Z");
const HOUR = startOfHour(NOW);
const BEFORE = "2026-01-31T00:00:00.000Z";

const STRATEGY = "00000000-0000-4000-8000-00000000dead";

/** Names and ids of the hidden content. */
const HIDDEN = {
  project: "hidden",
  feature: "secret-flag",
  archived: "secret-old-flag",
  deleted: "secret-gone-flag",
  strategy: STRATEGY,
  segment: "90",
  contextField: "secret-field",
  application: "secret-app",
  token: "hidden:development.*****-90",
};

const OF_PROJECT = { projects: ["shop"], environment: "development" };
const CLIENT = `shop:development.${"1".repeat(56)}`;
const HIDDEN_CLIENT = `hidden:development.${"3".repeat(56)}`;
const FRONTEND = `shop:development.${"2".repeat(56)}`;

/** What both have: the private project itself, its member, who also does things elsewhere, and callers who aren't. */
const withCallers = (w: World): World =>
  w
    .add("role", { id: 9, name: "Reader", type: "custom-root", permissions: READER })
    .user({ rootRole: 9 })
    .user({ username: "member" })
    .add("token", { type: "client", name: "shop client", hash: hashSecret(CLIENT), ...OF_PROJECT })
    .add("token", { type: "frontend", name: "shop frontend", hash: hashSecret(FRONTEND), ...OF_PROJECT })
    .group("Night shift", [7])
    .project("hidden", { mode: "private" })
    .member("hidden", 7, 4)
    .member("shop", 4, 4)
    .add("tag", { type: "simple", value: "late" })
    .event({ project: "shop", featureName: "first-flag", createdByUserId: 7, createdBy: "member" });

const READER = [
  "CREATE_PROJECT",
  "UPDATE_CONTEXT_FIELD",
  "READ_ROLE",
  "READ_CLIENT_API_TOKEN",
  "READ_FRONTEND_API_TOKEN",
  "UPDATE_CLIENT_API_TOKEN",
  "DELETE_CLIENT_API_TOKEN",
].map((name) => ({ name }));

const CALLERS = {
  "an Editor": personal(2),
  "a Viewer": personal(3),
  "the Owner of another project": personal(4),
  "a custom role": personal(6),
  "a client token": CLIENT,
  "a frontend token": FRONTEND,
  nobody: null,
};

const CONSTRAINTS = [{ contextName: "plan", operator: "IN", values: ["secret-plan"] }];
const ENVIRONMENTS = ["development", "production"].map((name, index) => ({
  name,
  enabled: true,
  lastSeenAt: BEFORE,
  strategies: [
    {
      id: STRATEGY.replace(/^0/, String(index)),
      name: "geo",
      title: "secret",
      segments: [1, 90],
      constraints: CONSTRAINTS,
      parameters: { userIds: "secret" },
    },
  ],
  variants: [{ name: "secret-variant", weight: 1000, weightType: "variable", stickiness: "default" }],
}));

const usedBy = (application: string, feature: string) => ({
  feature,
  environment: "development",
  application,
  hours: [{ hour: HOUR, yes: 5, no: 3, variants: { "secret-variant": 5 } }],
});

/** The content that one of them lacks. Created last, so that its ids don't shift others. */
const withSecrets = (w: World): World =>
  w
    .add("token", {
      id: 90,
      type: "client",
      name: "secret token",
      hash: hashSecret(HIDDEN_CLIENT),
      ...inHidden,
    })
    .add("token", { type: "frontend", name: "secret page", hash: "b".repeat(64), ...inHidden })
    .add("notificationMute", { user: 7, project: "hidden" })
    .member("hidden", 1, 4)
    .groupMember("hidden", 2)
    .add("segment", { id: 90, name: "secret-segment", project: "hidden", constraints: CONSTRAINTS })
    .add("contextField", {
      name: "secret-field",
      project: "hidden",
      legalValues: [{ value: "secret-value" }],
    })
    .feature("secret-parent", "hidden", { createdByUserId: 7, type: "experiment" })
    .feature("secret-flag", "hidden", {
      createdByUserId: 7,
      createdAt: BEFORE,
      description: "secret",
      stale: true,
      impressionData: true,
      stages: [{ stage: "initial", enteredAt: BEFORE }],
      tags: [{ type: "simple", value: "late" }],
      favoritedBy: [7],
      dependencies: [{ feature: "secret-parent" }],
      environments: ENVIRONMENTS,
    })
    .feature("secret-old-flag", "hidden", { archivedAt: BEFORE, createdByUserId: 7 })
    .feature("secret-gone-flag", "hidden", { archivedAt: BEFORE, createdByUserId: 7 })
    .event({ id: 80, project: "hidden", featureName: "secret-flag", createdByUserId: 7, createdBy: "member" })
    .event({ id: 81, type: "features-exported", project: "hidden", createdByUserId: 1 })
    .event({ id: 82, type: "segment-created", project: "hidden", createdByUserId: 8, createdBy: "ghost" })
    .integrationEvent({ id: "80", eventId: 80 })
    .notification({
      link: "/projects/hidden/features/secret-flag",
      recipients: [{ userId: 3 }, { userId: 7 }],
    })
    .add("application", { ...SECRET_APP, places: [{ project: "hidden", environment: "development" }] })
    .add("instance", { ...SECRET_INSTANCE, seenAt: HOUR })
    .add("usage", usedBy("secret-app", "secret-flag"))
    .add("usage", usedBy("secret-app", "secret-gone-flag"))
    .add("usage", usedBy("checkout", "secret-gone-flag"))
    .add("usage", usedBy("secret-metrics-app", "secret-flag"))
    .add("usage", usedBy("checkout", "secret-flag"));

const inHidden = { projects: ["hidden"], environment: "development" };
const SECRET_APP = { name: "secret-app", strategies: ["secret-strategy"], createdAt: BEFORE };
const SECRET_INSTANCE = {
  application: "secret-app",
  environment: "development",
  instance: "secret-instance",
  sdkVersion: "unleash-client-node:4.0.0",
};

/** Usage in both, for applications that flags of the private project could be added to. */
const withUse = (w: World): World =>
  w
    .add("application", {
      name: "checkout",
      createdAt: BEFORE,
      places: [{ project: "shop", environment: "development" }],
    })
    .add("instance", { ...SECRET_INSTANCE, application: "checkout", seenAt: HOUR })
    .add("usage", usedBy("checkout", "first-flag"));

const A = "/api/admin";
const SECRETS = `${A}/projects/hidden/features`;

/** What happens in the private project, by its Owner and by an Admin: [method, path, body]. */
const CHANGES: ReadonlyArray<[string, string, object?]> = [
  ["POST", SECRETS, { name: "secret-new" }],
  ["POST", `${SECRETS}/secret-flag/favorites`],
  ["POST", `${SECRETS}/secret-flag/environments/development/off`],
  ["POST", `${SECRETS}/secret-new/environments/development/on`],
  ["DELETE", `${SECRETS}/secret-new`],
  ["DELETE", `${A}/archive/secret-gone-flag`],
  ["POST", `${A}/projects/hidden/favorites`],
  ["POST", `${A}/features-batch/export`, { environment: "development", features: ["secret-flag"] }],
  ["POST", `${A}/features-batch/export`, { environment: "development", project: "hidden" }],
];

type Server = Awaited<ReturnType<typeof openServer>>;

async function changeSecrets({ request, db }: Server) {
  for (const as of [personal(7), personal(1)])
    for (const [method, path, body] of CHANGES) await request(path, { method, as, ...(body && { body }) });
  const registration = { appName: "secret-late-app", strategies: [], started: BEFORE, interval: 10 };
  await request("/api/client/register", { method: "POST", as: HIDDEN_CLIENT, body: registration });
  await writeUsage(db);
  write(db, SYSTEM, announceApplications);
}

/** In both, after which their newest event and notification have the same id: the ids may tell that there were others. */
async function changeShop({ request, db }: Server) {
  db.exec(`
    DELETE FROM sqlite_sequence WHERE name IN ('events', 'notifications');
    INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 1000), ('notifications', 1000)`);
  await request(`${A}/projects/shop/features`, { method: "POST", body: { name: "newest-flag" } });
}

async function openBoth(t: TestContext) {
  const base = () => withUse(withCallers(exampleWorld()));
  const [without, with_] = [await openServer(t, base()), await openServer(t, withSecrets(base()))];
  for (const { db } of [without, with_])
    db.exec(`UPDATE settings SET content = '{"id":"the same"}' WHERE name = 'instance'`);
  await changeSecrets(with_);
  for (const server of [without, with_]) await changeShop(server);
  return { without: without.app, with: with_.app };
}

interface Sent {
  method: string;
  url: string;
  body?: unknown;
}

/** Everything to send for an operation, each once. */
const requestsFor = (operation: Operation): Sent[] => [
  ...new Map([...variations(operation)].map((sent) => [JSON.stringify(sent), sent])).values(),
];

function* variations(operation: Operation): Generator<Sent> {
  const { params, query, body } = exampleOf(operation);
  const { method, path } = operation;
  const names = Object.keys(operation.query?.entries ?? {});
  const send = (given: Record<string, string>, search: object, sent = body): Sent => {
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(given[name]!));
    const text = String(new URLSearchParams({ ...search }));
    return {
      method,
      url: text === "" ? filled : `${filled}?${text}`,
      ...(sent !== undefined && { body: sent }),
    };
  };
  yield send(params, query);
  yield send(params, {});
  for (const hidden of Object.values(HIDDEN)) {
    for (const name of Object.keys(params)) {
      yield send({ ...params, [name]: hidden }, query);
      yield send({ ...params, projectId: "hidden", [name]: hidden }, query);
    }
    for (const name of names)
      for (const value of [hidden, `IS:${hidden}`]) yield send(params, { ...query, [name]: value });
  }
  for (const renamed of renamings(body)) yield send(params, query, renamed);
}

/** The body with each of its texts, and keys like it, replaced by each hidden name. */
function renamings(body: unknown): unknown[] {
  const text = JSON.stringify(body) ?? "null";
  const texts = new Set<string>();
  JSON.parse(text, (_, value) => void (typeof value === "string" && texts.add(JSON.stringify(value))));
  return [...texts].flatMap((found) =>
    [...Object.values(HIDDEN), "secret-segment"].map((hidden) =>
      JSON.parse(text.replaceAll(found, JSON.stringify(hidden))),
    ),
  );
}

type App = Awaited<ReturnType<typeof openBoth>>["with"];

/** The response as text, without what is different for each request. */
async function answer(app: App, as: string | null, { method, url, body }: Sent) {
  const headers = { "content-type": "application/json", ...(as !== null && { authorization: as }) };
  const response = await app.request(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const shown = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return `${response.status}\n${shown}\n\n${text}`.replaceAll(/"id":"[0-9a-f-]{36}"/g, `"id":"…"`);
}

/**
 * Names are unique, so whoever checks one learns that it is taken; streams have tests of their own.
 */
const tellsNames = ({ id }: Operation, { body }: Sent) =>
  /^validate(Feature|Segment|Import|ContextFieldNameForProject|)$/.test(id) &&
  /secret-/.test(JSON.stringify(body));

const OPERATIONS = SURFACES.flatMap(({ operations }) => operations).filter(({ isStream }) => !isStream);
const READING = OPERATIONS.filter(({ changes }) => !changes);
const CHANGING = OPERATIONS.filter(({ changes }) => changes);

/** The admin API refuses applications and nobody before it looks at the path, as `matrix.test.ts` shows. */
const readableBy = (as: string | null) =>
  as?.startsWith("user:") ? READING : READING.filter(({ path }) => !path.startsWith(A));

for (const [caller, as] of Object.entries(CALLERS))
  test(`${caller} can't tell whether a private project has content`, async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: NOW });
    const both = await openBoth(t);
    const found: string[] = [];
    for (const operation of readableBy(as))
      for (const sent of requestsFor(operation)) {
        const [one, other] = [await answer(both.without, as, sent), await answer(both.with, as, sent)];
        if (one !== other && !tellsNames(operation, sent))
          found.push(`${operation.id} ${sent.url} ${JSON.stringify(sent.body)}\n${one}\n${other}`);
      }
    assert.deepEqual(found, []);
  });

/** What only a private project has, as lines of a dataset; its flags lose the tags of a type that is deleted. */
const CONTENT = /"kind":"(application|instance|token|usage|segment|contextField)".*(secret-|hidden)/;

for (const caller of ["an Editor", "the Owner of another project", "a custom role"] as const)
  test(`${caller} changes nothing in a private project`, async (t) => {
    const { app, db } = await openServer(t, withSecrets(withCallers(exampleWorld())));
    const content = exported(db)
      .split("\n")
      .filter((line) => CONTENT.test(line));
    assert.equal(content.length, 11);
    for (const operation of CHANGING)
      for (const sent of requestsFor(operation)) await answer(app, CALLERS[caller], sent);
    const after = new Set(exported(db).split("\n"));
    assert.deepEqual(
      content.filter((line) => !after.has(line)),
      [],
    );
  });

test("the log of a private project stays hidden when it is deleted, also in a copy, and its id stays taken", async (t) => {
  const world = createWorld().project("hidden", { mode: "private" }).member("hidden", 3, 4);
  const { db, request } = await openServer(t, world.event({ project: "hidden", featureName: "secret" }));
  assert.equal((await request(`${A}/projects/hidden`, { method: "DELETE" })).status, 200);
  for (const id of [2, 3]) {
    const { body } = await request(`${A}/events`, { as: personal(id) });
    assert.deepEqual(body, { version: 1, events: [], totalEvents: 0 });
  }
  assert.equal((await request(`${A}/events?project=hidden`)).body.totalEvents, 2, "an Admin still reads it");
  for (const path of [`${A}/projects`, `${A}/projects/validate`])
    assert.equal((await request(path, { method: "POST", body: { id: "hidden", name: "x" } })).status, 409);
  const named = await request(`${A}/projects`, { method: "POST", body: { name: "hidden" } });
  assert.equal(named.body.id, "hidden-2");
  const copy = empty(t);
  await importDataset(copy, asChunks(exported(db)));
  assert.deepEqual(hiddenProjects(copy, { ...SYSTEM, isAdmin: false }), ["hidden"]);
});

/** Who may see what an application, or a strategy, must not tell. */
async function openSecrets(t: TestContext) {
  const { db, request } = await openServer(t, withSecrets(withCallers(exampleWorld())));
  const as = (id: number) => (path: string, method?: string, body?: object) =>
    request(`${A}/${path}`, { as: personal(id), ...(method && { method }), ...(body && { body }) });
  const report = (feature: string) =>
    request("/api/client/metrics", {
      method: "POST",
      as: HIDDEN_CLIENT,
      body: {
        appName: "secret-app",
        bucket: { start: Date.now(), stop: Date.now(), toggles: { [feature]: { yes: 1, no: 0 } } },
      },
    });
  return { db, report, admin: as(1), editor: as(2), owner: as(4), reader: as(6) };
}

test("an application of a private project is unknown to changes too, and describing it shows it to nobody", async (t) => {
  const { db, admin, editor } = await openSecrets(t);
  const path = "metrics/applications/secret-app";
  const before = exported(db);
  for (const name of ["secret-app", "secret-metrics-app", "unknown-app"]) {
    const answer = await editor(`metrics/applications/${name}`, "POST", { description: "mine" });
    assert.deepEqual([answer.status, answer.body.message], [404, `There is no application ${name}`]);
    assert.equal((await editor(`metrics/applications/${name}`, "DELETE")).status, 200);
  }
  assert.deepEqual(exported(db), before, "nothing has changed");
  assert.equal((await admin(path, "POST", { description: "ours" })).status, 202);
  write(db, SYSTEM, announceApplications);
  assert.equal((await editor(path)).status, 404);
  assert.deepEqual((await editor("search/events?type=IS:application-created")).body.events, []);
  assert.equal((await admin(path)).body.description, "ours");
});

test("a segment of a private project is unknown to the strategies of others", async (t) => {
  const { admin, owner } = await openSecrets(t);
  const path = "projects/shop/features/first-flag/environments/development/strategies";
  const answers = async (add: typeof owner, id: number) => {
    const { status, body } = await add(path, "POST", { name: "default", segments: [id] });
    return [status, body.message ?? body.details[0].message];
  };
  for (const id of [90, 91]) assert.deepEqual(await answers(owner, id), [404, `There is no segment ${id}`]);
  assert.deepEqual((await answers(admin, 90))[0], 400);
});

test("a flag that is named like a deleted one of a private project has none of its use", async (t) => {
  const { db, admin, editor, report } = await openSecrets(t);
  const use = async () => {
    const { lastHourUsage, seenApplications } = (await editor("client-metrics/features/secret-old-flag"))
      .body;
    return [lastHourUsage, seenApplications];
  };
  for (const change of [
    () => admin("archive/secret-old-flag", "DELETE"),
    () => report("secret-old-flag"),
    () => writeUsage(db),
    () => admin("projects/shop/features", "POST", { name: "secret-old-flag" }),
  ]) {
    await change();
    assert.deepEqual(await use(), [[], []]);
  }
  const { applications } = (await editor("projects/shop/applications")).body;
  assert.doesNotMatch(JSON.stringify(applications), /secret/);
});

test("a check of an import tells no more of a hidden flag than that its name is taken", async (t) => {
  const { editor } = await openSecrets(t);
  const check = async (name: string) => {
    const data = {
      features: [{ name, type: "release" }],
      featureEnvironments: [{ featureName: name, name: "development", enabled: true }],
      featureStrategies: [],
      featureTags: [{ featureName: name, tagType: "unknown", tagValue: "xx" }],
      segments: [],
      contextFields: [],
      tagTypes: [],
    };
    const body = { project: "shop", environment: "development", data };
    return (await editor("features-batch/validate", "POST", body)).text.replaceAll(name, "…");
  };
  const archived = await check("secret-old-flag");
  assert.match(archived, /These flags are in other projects/);
  for (const live of ["secret-flag", "secret-parent"]) assert.equal(await check(live), archived);
});

test("the statistics count the projects that the caller can see", async (t) => {
  const { admin, editor } = await openSecrets(t);
  for (const [caller, isMember] of [
    [admin, true],
    [editor, false],
  ] as const) {
    const ids = (await caller("projects")).body.projects.map(({ id }: { id: string }) => id);
    assert.equal(ids.includes("hidden"), isMember);
    assert.equal((await caller("instance-admin/statistics")).body.projects, ids.length);
  }
});

test("a token of a private project is unknown to others", async (t) => {
  const { db, reader } = await openSecrets(t);
  const before = exported(db);
  for (const secret of [HIDDEN_CLIENT, "hidden:development.unknown"]) {
    const change = { expiresAt: "2030-01-01T00:00:00Z" };
    assert.equal((await reader(`api-tokens/${secret}`, "PUT", change)).status, 200);
    assert.equal((await reader(`api-tokens/${secret}`, "DELETE")).status, 200);
  }
  assert.deepEqual(exported(db), before, "nothing has changed");
});

test("whether a name is taken isn't said along with a private project", async (t) => {
  const { editor } = await openSecrets(t);
  for (const name of ["secret-flag", "unknown-flag"])
    assert.equal((await editor("features/validate", "POST", { name, projectId: "hidden" })).status, 403);
});
