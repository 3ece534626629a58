import assert from "node:assert/strict";
import { test } from "node:test";
import { decryptedParameters } from "../../src/integrations/parameters.ts";
import { badBodies, withCustomRoot } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const SECRET_KEY = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;

const hook = {
  provider: "webhook",
  enabled: false,
  parameters: { url: "https://hooks.example/a", authorization: "hush", contentType: "text/plain" },
  events: ["feature-created"],
};

const with_ = (parameters: object) => ({ ...hook, parameters: { ...hook.parameters, ...parameters } });

interface Named {
  name: string;
  installation: object;
  parameters: Array<{ name: string; placeholder?: string }>;
}

/** The parameters for which the original's form shows an example. */
const PLACEHOLDERS = [
  ...["contentType", "authorization", "customHeaders", "bodyTemplate"].map((name) => `webhook ${name}`),
  ...["username", "emojiIcon", "customHeaders"].map((name) => `slack ${name}`),
  "teams customHeaders",
  ...["apiKey", "customHeaders", "bodyTemplate"].map((name) => `datadog ${name}`),
  ...["licenseKey", "customHeaders", "bodyTemplate"].map((name) => `new-relic ${name}`),
];

const stored = (w: World) => w.integration({ ...hook, description: "a hook", projects: ["a"] });

const noCreatedAt = ({ createdAt: _, ...rest }: Record<string, unknown>) => rest;

const rolesOf = (
  permission: string,
  done: Pick<Scenario, "given" | "body" | "expect" | "records">,
): Scenario[] => [
  { ...done, name: "an Admin may" },
  { ...done, name: "an Editor may", as: personal(2) },
  { ...done, name: "a service token may", as: SERVICE },
  {
    ...done,
    name: `${permission} alone is enough`,
    as: personal(5),
    given: withCustomRoot(done.given ?? ((w) => w), { name: permission }),
  },
];

const wrong: Parameters<typeof badBodies>[1] = [
  ["no provider", { ...hook, provider: undefined }, "body.provider"],
  ["an unknown provider", { ...hook, provider: "pigeon" }, "body.provider"],
  ["a provider of an inherited name", { ...hook, provider: "constructor" }, "body.provider"],
  ["enabled is missing", { ...hook, enabled: undefined }, "body.enabled"],
  ["enabled is text", { ...hook, enabled: "yes" }, "body.enabled"],
  ["no parameters", { ...hook, parameters: undefined }, "body.parameters"],
  ["parameters that are a list", { ...hook, parameters: [] }, "body.parameters"],
  ["a parameter that is an object", with_({ contentType: {} }), "body.parameters.contentType"],
  ["a required parameter is missing", { ...hook, parameters: {} }, "body.parameters.url"],
  ["a required parameter is empty", with_({ url: " " }), "body.parameters.url"],
  ["an invalid URL", with_({ url: "hooks.example" }), "body.parameters.url"],
  ["a URL with another protocol", with_({ url: "file:///etc/passwd" }), "body.parameters.url"],
  ["a URL with credentials", with_({ url: "https://me:pw@hooks.example" }), "body.parameters.url"],
  ["an invalid template", with_({ bodyTemplate: "{{#a}}" }), "body.parameters.bodyTemplate"],
  [
    "a template with a list within itself",
    with_({ bodyTemplate: "{{#values}}{{#values}}{{/values}}{{/values}}" }),
    "body.parameters.bodyTemplate",
  ],
  ["a template of 1 MB", with_({ bodyTemplate: "x".repeat(1_000_000) }), "body.parameters.bodyTemplate"],
  ["an invalid signing secret", with_({ signingSecret: "hush" }), "body.parameters.signingSecret"],
  [
    "a path as the file name",
    { ...hook, provider: "file", parameters: { file: "../x" } },
    "body.parameters.file",
  ],
  ["no events", { ...hook, events: undefined }, "body.events"],
  ["an unknown event", { ...hook, events: ["feature-exploded"] }, "body.events.0"],
  ["a project that is an object", { ...hook, projects: [{}] }, "body.projects.0"],
  ["environments that are text", { ...hook, environments: "production" }, "body.environments"],
  ["a description that is an object", { ...hook, description: {} }, "body.description"],
];

scenarios("GET /api/admin/addons", [
  {
    name: "a Viewer sees them, without secrets",
    as: personal(3),
    given: stored,
    see: ({ addons: [one, ...others], providers }) => {
      assert.deepEqual(others, []);
      assert.deepEqual(noCreatedAt(one), {
        id: 1,
        ...hook,
        description: "a hook",
        parameters: { url: "*****", authorization: "*****", contentType: "text/plain" },
        projects: ["a"],
        environments: [],
      });
      const names = providers.map(({ name }: { name: string }) => name);
      assert.deepEqual(names, ["webhook", "slack", "slack-app", "teams", "datadog", "new-relic", "file"]);
      const installable = providers.filter(({ installation }: { installation?: object }) => installation);
      assert.deepEqual(
        installable.map(({ name, installation }: Named) => [name, Object.keys(installation)]),
        [["slack-app", ["url", "title", "helpText"]]],
      );
      const placeholders = providers.flatMap(({ name, parameters }: Named) =>
        parameters.filter(({ placeholder }) => placeholder !== undefined).map((one) => `${name} ${one.name}`),
      );
      for (const known of PLACEHOLDERS) assert.ok(placeholders.includes(known), known);
    },
  },
]);

scenarios("GET /api/admin/addons/1", [
  { name: "one", as: personal(3), given: stored, see: (body) => assert.equal(body.parameters.url, "*****") },
  { name: "an unknown id", expect: [404, "NotFoundError"] },
  { name: "an id that is not a number", url: "/../x", expect: [404, "NotFoundError"] },
]);

const created = { type: "addon-config-created", preData: null } as const;

scenarios("POST /api/admin/addons", [
  ...rolesOf("CREATE_ADDON", { body: hook, expect: 201, records: [created] }),
  ...badBodies({}, wrong),
  ...badBodies({}, [
    [
      "a mask for a secret that is not stored",
      with_({ authorization: "*****" }),
      "body.parameters.authorization",
    ],
  ]),
  {
    name: "the response has what was sent, without secrets",
    body: with_({ signingSecret: SECRET_KEY, own: 7 }),
    expect: 201,
    records: [
      {
        ...created,
        data: {
          id: 1,
          provider: "webhook",
          enabled: false,
          description: null,
          events: hook.events,
          projects: [],
          environments: [],
        },
      },
    ],
    see: (body, { text }) => {
      assert.deepEqual(body.parameters, {
        url: "*****",
        authorization: "*****",
        contentType: "text/plain",
        signingSecret: "*****",
        own: "*****",
      });
      assert.deepEqual(Object.keys(body), [
        "id",
        "provider",
        "enabled",
        "parameters",
        "events",
        "projects",
        "environments",
        "description",
      ]);
      assert.equal(body.description, null);
      assert.ok(!text.includes("hush"));
    },
  },
  {
    name: "the first Slack integration creates its tag type, as the system",
    body: { ...hook, provider: "slack", parameters: { url: "https://s.example", defaultChannel: "x" } },
    expect: 201,
    records: [{ type: "tag-type-created", createdBy: "unleash_system_user" }, created],
  },
  {
    name: "the second does not",
    given: (w) => w.add("tagType", { name: "slack" }),
    body: { ...hook, provider: "slack", parameters: { url: "https://s.example", defaultChannel: "x" } },
    expect: 201,
    records: [created],
  },
]);

const PRE = {
  id: 1,
  provider: "webhook",
  enabled: false,
  description: "a hook",
  events: hook.events,
  projects: ["a"],
  environments: [],
};

const updated = { type: "addon-config-updated" } as const;

scenarios("PUT /api/admin/addons/1", [
  ...rolesOf("UPDATE_ADDON", { body: hook, given: stored, records: [updated] }),
  ...badBodies({ given: stored }, wrong),
  { name: "an unknown id", body: hook, expect: [404, "NotFoundError"] },
  {
    name: "everything is replaced except for the description",
    given: stored,
    body: { ...hook, enabled: true, events: [] },
    records: [{ ...updated, preData: PRE, data: { ...PRE, enabled: true, events: [], projects: [] } }],
    see: (body) => {
      assert.deepEqual([body.description, body.projects, body.events], ["a hook", [], []]);
    },
  },
  ...badBodies(
    { given: stored },
    [
      "https://elsewhere.example/a",
      "http://hooks.example/a",
      "https://hooks.example:8443/a",
      "https://hooks.example/tenant-evil/hook",
      "https://hooks.example/a?tenant=evil",
      "https://hooks.example/A",
    ].map((url) => [
      `a masked secret with another URL: ${url}`,
      with_({ url, authorization: "*****" }),
      "body.parameters.authorization",
    ]),
  ),
  ...badBodies({ given: stored }, [
    [
      "a masked secret with headers, which may name another host",
      with_({ url: "*****", authorization: "*****", customHeaders: '{"host": "evil.example"}' }),
      "body.parameters.url",
    ],
    [
      "a masked secret for another provider",
      { ...hook, provider: "teams", parameters: { url: "*****" } },
      "body.parameters.url",
    ],
    [
      "a mask for a secret that is not stored",
      with_({ customHeaders: "*****" }),
      "body.parameters.customHeaders",
    ],
  ]),
]);

scenarios("DELETE /api/admin/addons/1", [
  ...rolesOf("DELETE_ADDON", {
    body: undefined,
    given: stored,
    records: [{ type: "addon-config-deleted", data: null }],
  }),
  { name: "an unknown id", expect: [404, "NotFoundError"] },
]);

test("secrets are encrypted in the file, and masked ones are kept", async (t) => {
  const { db, request } = await openServer(t, createWorld());
  const raw = () => db.prepare<[], string>("SELECT parameters FROM integrations").pluck().get()!;
  const stored = () => JSON.parse(raw());
  await request("/api/admin/addons", { method: "POST", body: hook });
  assert.doesNotMatch(raw(), /hush|hooks\.example/);
  assert.equal(stored().contentType, "text/plain");
  const before = stored().authorization;
  const body = with_({ url: "*****", authorization: "*****" });
  await request("/api/admin/addons/1", { method: "PUT", body });
  assert.notEqual(stored().authorization, before, "encrypted anew");
  const read = decryptedParameters(db, { id: 1, provider: "webhook", parameters: stored() });
  assert.deepEqual(read, hook.parameters);
  assert.throws(
    () => decryptedParameters(db, { id: 2, provider: "webhook", parameters: stored() }),
    /changed/,
  );
});

test("an id is not reused", async (t) => {
  const { request } = await openServer(t, createWorld());
  await request("/api/admin/addons", { method: "POST", body: hook });
  await request("/api/admin/addons/1", { method: "DELETE" });
  const { body } = await request("/api/admin/addons", { method: "POST", body: hook });
  assert.equal(body.id, 2);
});
