import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { type Context, InMemStorageProvider, Unleash } from "unleash-client";
import { openEdge } from "../edge/serving.ts";
import { CHAPTERS, type Chapter, type Expected } from "../support/specification.ts";
import { CLIENT, FRONTEND, SERVICE } from "../support/world.ts";
import { serveSeed } from "./serving.ts";

/** A way to evaluate: whether a flag is on, and its variant. */
type Ask = (toggle: string, context: Chapter["tests"][number]["context"]) => Promise<Expected>;

const OFF: Expected = { name: "disabled", enabled: false };

/** Known failures of this way, by description. */
async function failures(chapter: Chapter, ask: Ask) {
  const failed: string[] = [];
  for (const { toggleName, context, expectedResult, description } of chapter.tests) {
    const { feature_enabled: isOn } = await ask(toggleName, context);
    if (isOn !== expectedResult) failed.push(description);
  }
  for (const { toggleName, context, expectedResult, description } of chapter.variantTests) {
    const got = await ask(toggleName, context);
    if (!isSame(got, expectedResult)) failed.push(`${description} ${JSON.stringify(got)}`);
  }
  return failed;
}

function isSame(got: Expected, expected: Expected) {
  const isOn = expected.feature_enabled ?? expected.featureEnabled;
  return (
    got.name === expected.name &&
    got.enabled === expected.enabled &&
    (isOn === undefined || got.feature_enabled === isOn) &&
    JSON.stringify(sorted(got.payload)) === JSON.stringify(sorted(expected.payload))
  );
}

const sorted = (payload: Expected["payload"]) => payload && [payload.type, payload.value];

/** Through client/features and the Node SDK. */
async function bySdk(t: TestContext, url: string): Promise<Ask> {
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: "specification",
    customHeaders: { authorization: CLIENT },
    refreshInterval: 3_600_000,
    disableMetrics: true,
    storageProvider: new InMemStorageProvider(),
  });
  t.after(() => sdk.destroy());
  await once(sdk, "synchronized");
  return async (toggle, context) => ({
    ...sdk.getVariant(toggle, context as Context),
    feature_enabled: sdk.isEnabled(toggle, context as Context),
  });
}

const FRONTEND_HEADERS = { authorization: FRONTEND, "content-type": "application/json" };

type Toggles = { toggles: Array<{ name: string; variant: Expected }> };
const found = ({ toggles }: Toggles, toggle: string): Expected =>
  toggles.find(({ name }) => name === toggle)?.variant ?? { ...OFF, feature_enabled: false };

const byPost =
  (url: string): Ask =>
  async (toggle, context) => {
    const response = await fetch(`${url}/api/frontend`, {
      method: "POST",
      headers: FRONTEND_HEADERS,
      body: JSON.stringify({ context }),
    });
    return found((await response.json()) as Toggles, toggle);
  };

const byGet =
  (url: string): Ask =>
  async (toggle, { properties = {}, ...context }) => {
    const query = new URLSearchParams(context as Record<string, string>);
    for (const [name, value] of Object.entries(properties as object)) query.set(`properties[${name}]`, value);
    const response = await fetch(`${url}/api/frontend?${query}`, { headers: FRONTEND_HEADERS });
    return found((await response.json()) as Toggles, toggle);
  };

/** OpenFeature returns the payload's value, so compare that. */
const byOfrep =
  (url: string): Ask =>
  async (toggle, { properties = {}, ...context }) => {
    const response = await fetch(`${url}/ofrep/v1/evaluate/flags/${encodeURIComponent(toggle)}`, {
      method: "POST",
      headers: FRONTEND_HEADERS,
      body: JSON.stringify({ context: { ...(properties as object), ...context } }),
    });
    const { value, variant, reason } = (await response.json()) as Record<string, never>;
    const isOn = response.ok && reason !== "DISABLED" && reason !== "DEFAULT";
    if (variant === undefined) return { ...OFF, feature_enabled: isOn };
    const type = typeof value === "number" ? "number" : "string";
    return { name: variant, enabled: true, feature_enabled: isOn, payload: { type, value: String(value) } };
  };

/** The reason must match the result. */
const byPlayground =
  (url: string): Ask =>
  async (toggle, { properties = {}, ...context }) => {
    const texts = Object.entries(properties as object).filter(([, value]) => value !== null);
    const response = await fetch(`${url}/api/admin/playground`, {
      method: "POST",
      headers: { ...FRONTEND_HEADERS, authorization: SERVICE },
      body: JSON.stringify({
        environment: "development",
        context: {
          appName: "specification",
          ...context,
          properties: Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
        },
      }),
    });
    const { features } = (await response.json()) as {
      features: Array<{ name: string; isEnabled: boolean; variant: Expected }>;
    };
    const flag = features.find(({ name }) => name === toggle);
    return flag ? { ...flag.variant, feature_enabled: flag.isEnabled } : { ...OFF, feature_enabled: false };
  };

const WAYS: Record<string, (t: TestContext, url: string) => Promise<Ask> | Ask> = {
  "client/features and the Node SDK": bySdk,
  "POST frontend": (_, url) => byPost(url),
  OFREP: (_, url) => byOfrep(url),
  "the playground": (_, url) => byPlayground(url),
  "GET frontend": (_, url) => byGet(url),
};

test("the specification has 279 cases", () => {
  const cases = CHAPTERS.flatMap(({ tests, variantTests }) => [...tests, ...variantTests]);
  assert.equal(cases.length, 279);
});

/** Fills in what the URL lacks, as the original does. */
const FILLED_IN: Record<string, string[]> = {
  "04-gradual-rollout-session-id-strategy": ["Feature.A4 should be disabled when no user on context"],
  "06-remote-address-strategy": [
    "Feature.remoteAddress.A should not be enabled for missing remoteAddress on context",
  ],
};

for (const chapter of CHAPTERS) {
  test(`specification: ${chapter.name}`, async (t) => {
    const url = await serveSeed(t, chapter.state);
    const edge = await openEdge(t, url, { pollMs: 60_000, usageMs: 60_000, checkMs: 60_000 });
    for (const [name, open] of Object.entries(WAYS))
      for (const place of name === "the playground" ? [url] : [url, edge.url])
        assert.deepEqual(
          await failures(chapter, await open(t, place)),
          name === "GET frontend" ? (FILLED_IN[chapter.name] ?? []) : [],
          `${name} ${place === url ? "" : "of an edge"}`,
        );
  });
}
