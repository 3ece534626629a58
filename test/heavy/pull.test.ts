import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { serveHere } from "../cli/run-cli.ts";
import { openUnleash, UNLEASH_VERSIONS, WITHOUT_UNLEASH } from "../support/unleash.ts";
import { newFile, pull } from "../unleash/source.ts";

type Unleash = Awaited<ReturnType<typeof openUnleash>>;

/** Fills an Unleash through its API. @returns the secret of an application's token */
async function fill({ url, ask, psql }: Unleash): Promise<string> {
  const post = (where: string, body: unknown = {}) => ask("POST", `/api/admin/${where}`, body);
  await post("user-admin", {
    username: "ada",
    email: "ada@example.com",
    name: "Ada",
    rootRole: 1,
    sendEmail: false,
  });
  await post("user-admin", { username: "cleo", rootRole: 3, sendEmail: false });
  await post("tag-types", { name: "team", description: "who owns it", icon: "T" });
  await post("tags", { type: "team", value: "unused" });
  const legalValues = [{ value: "NO", description: "Norway" }, { value: "SE" }];
  await post("context", {
    name: "country",
    description: "where",
    stickiness: true,
    sortOrder: 7,
    legalValues,
  });
  const countries = { name: "countries", type: "list", description: "where", required: true };
  await post("strategies", { name: "byCountry", description: "by country", parameters: [countries] });
  await ask("PUT", "/api/admin/feature-types/operational/lifetime", { lifetimeDays: 12 });
  const norway = [{ contextName: "country", operator: "IN", values: ["NO"] }];
  const segment = await post("segments", { name: "Norway", description: "north", constraints: norway });
  const late = {
    contextName: "currentTime",
    operator: "DATE_AFTER",
    value: "2026-01-31T09:00:00.000Z",
    inverted: true,
  };
  await post("segments", { name: "Late", project: "default", constraints: [late] });
  for (const [name, type] of [
    ["cart", "release"],
    ["theme", "experiment"],
    ["child", "kill-switch"],
    ["gone", "release"],
  ])
    await post("projects/default/features", {
      name,
      type,
      description: `the flag ${name}`,
      impressionData: name === "theme",
    });
  const inCart = "projects/default/features/cart/environments/development";
  await post(`${inCart}/strategies`, {
    name: "flexibleRollout",
    title: "half of Norway",
    segments: [segment.id],
    constraints: [
      { contextName: "userId", operator: "STR_CONTAINS", values: ["1", "2"], caseInsensitive: true },
    ],
    parameters: { rollout: "50", stickiness: "default", groupId: "cart" },
    variants: [
      {
        name: "a",
        weight: 500,
        weightType: "fix",
        stickiness: "default",
        payload: { type: "json", value: '{"x":1}' },
      },
      { name: "b", weight: 500, weightType: "variable", stickiness: "default" },
    ],
  });
  await post(`${inCart}/strategies`, { name: "default", disabled: true, sortOrder: 3 });
  await post("projects/default/features/theme/environments/development/strategies", {
    name: "byCountry",
    parameters: { countries: "NO" },
  });
  await post(`${inCart}/on`);
  await post("projects/default/features/theme/environments/development/on");
  for (const tag of [
    { type: "team", value: "cart" },
    { type: "simple", value: "x y" },
  ])
    await post("features/cart/tags", tag);
  await post("projects/default/features/child/dependencies", { feature: "cart", variants: ["a"] });
  await post("projects/default/stale", { features: ["theme"], stale: true });
  await ask("DELETE", "/api/admin/projects/default/features/gone");
  // 8.2 accepts only addresses that it can resolve.
  psql(`INSERT INTO addons (provider, description, enabled, parameters, events)
    VALUES ('webhook', 'hook', true, '{"url":"http://127.0.0.1:9/hook"}', '["feature-created"]')`);
  const token = await post("api-tokens", {
    tokenName: "shop",
    type: "client",
    environment: "development",
    projects: ["default"],
  });
  await report(url, token.secret);
  const isKnown = async () => {
    const { lifecycle, environments } = await ask("GET", "/api/admin/projects/default/features/cart");
    const { total } = await ask("GET", "/api/admin/metrics/applications");
    return lifecycle?.stage === "pre-live" && environments[0].lastSeenAt && total === 1;
  };
  while (!(await isKnown())) await setTimeout(100);
  return token.secret;
}

/** An application begins, and reports how often it used flags. */
async function report(url: string, authorization: string) {
  const send = (where: string, body: unknown) =>
    fetch(`${url}/api/client/${where}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ appName: "shop-web", instanceId: "i-1", ...(body as object) }),
    });
  const now = new Date().toISOString();
  await send("register", {
    sdkVersion: "unleash-client-node:6.1.0",
    strategies: ["default"],
    started: now,
    interval: 1000,
  });
  const toggles = { cart: { yes: 12, no: 3, variants: { a: 8, b: 4 } } };
  await send("metrics", { bucket: { start: now, stop: now, toggles } });
}

/** The reads that are compared: those of administrators, and what an application gets. */
const READS = [
  "projects/default/features",
  "projects/default/features/cart?variantEnvironments=true",
  "projects/default/features/theme?variantEnvironments=true",
  "projects/default/features/child",
  "projects/default/features/cart/environments/development/strategies",
  "projects/default/features/cart/lifecycle",
  "projects/default/overview",
  "search/features?archived=IS:true",
  "search/events?limit=1000",
  "events",
  "addons/1/events",
  "user-admin/2",
  "user-admin",
  "environments",
  "context",
  "strategies",
  "segments",
  "tag-types",
  "tags",
  "feature-types",
  "client-metrics/features/cart",
  "metrics/applications",
  "metrics/applications/shop-web",
];

/** What differs, by the key: docs/migrating.md says why. */
const DIFFERENT = new Set([
  "imageUrl",
  "inviteLink",
  "label",
  "summary",
  "health",
  "technicalDebt",
  "stats",
  "updatedAt",
  "etag",
  "queryHash",
  "color",
  "sdkType",
]);

/** Things that describe themselves in words of their own. */
const isBuiltIn = (thing: Thing) =>
  thing.editable === false || "lifetimeDays" in thing || thing.type === "root";

/** Versions differ in what they say of what is not set. */
const isUnset = (value: unknown) =>
  value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);

type Thing = Record<string, unknown>;

const isThing = (value: unknown): value is Thing => typeof value === "object" && value !== null;

/** 8.2 has one more type of flags. Applications are announced minutes later, perhaps after the pull. */
const isHere = (value: unknown) =>
  !(isThing(value) && (value.id === "sunset" || value.type === "application-created"));

/** An answer in the order of names, without what may differ. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .filter(isHere)
      .map(comparable)
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (!isThing(value)) return value;
  const isTold = ([key, part]: [string, unknown]) =>
    !DIFFERENT.has(key) &&
    !isUnset(part) &&
    !(isBuiltIn(value) && (key === "description" || key === "parameters"));
  return Object.fromEntries(
    Object.entries(value)
      .filter(isTold)
      .map(([key, part]) => [key, comparable(part)]),
  );
}

const keyOf = (value: unknown) =>
  JSON.stringify(
    isThing(value)
      ? (value.name ??
          value.id ??
          value.stage ?? [value.type, value.value, value.environment, value.contextName])
      : value,
  );

/** What one answer says of what the other one says. */
function ofWhat(theirs: unknown, ours: unknown): unknown {
  if (Array.isArray(theirs) && Array.isArray(ours))
    return theirs.map((one) =>
      ofWhat(
        one,
        ours.find((own) => keyOf(own) === keyOf(one)),
      ),
    );
  if (!isThing(theirs) || !isThing(ours)) return ours;
  return Object.fromEntries(Object.keys(theirs).map((key) => [key, ofWhat(theirs[key], ours[key])]));
}

for (const version of UNLEASH_VERSIONS)
  test(`all that Unleash ${version} tells comes along, and both answer the same`, {
    skip: WITHOUT_UNLEASH,
  }, async (t) => {
    const unleash = await openUnleash(t, version);
    const application = await fill(unleash);
    const file = newFile(t);
    const { code, stdout, stderr } = await pull(unleash.url, file, [], unleash.token);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^all that http\S+ says it has came: .*featureToggles 3, archivedFeatureToggles 1$/m,
    );
    const { url } = await serveHere(t, ["serve", "--data", file]);
    const ask = async (base: string, where: string, authorization: string) => {
      const response = await fetch(`${base}/api/${where}`, { headers: { authorization } });
      assert.equal(response.status, 200, `${base} ${where}`);
      return comparable(await response.json());
    };
    const agree = async (where: string, token: string) => {
      const theirs = await ask(unleash.url, where, token);
      assert.deepEqual(ofWhat(theirs, await ask(url, where, token)), theirs, where);
    };
    for (const where of READS) await agree(`admin/${where}`, unleash.token);
    await agree("client/features", application);
  });
