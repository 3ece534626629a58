import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";

const FEATURES = "/api/admin/projects/a/features";
const LINKS = `${FEATURES}/f/link`;
const CODE = { id: "code", url: "https://code.example", title: "Code" };

const given = (w: World) =>
  w
    .project("a")
    .project("b")
    .feature("f", "a", { links: [CODE] })
    .feature("gone", "a", { archivedAt: "2026-01-02T00:00:00.000Z" })
    .feature("g", "b");

const added = (data: object) => ({
  type: "feature-link-added" as const,
  project: "a",
  featureName: "f",
  data: data as Record<string, unknown>,
});

const invalid = [400, "ValidationError"] as [number, string];

scenarios(`POST ${LINKS}`, [
  {
    name: "without a protocol it is a web page",
    given,
    body: { url: "example.com", title: "One" },
    expect: 204,
    records: [added({ url: "https://example.com", title: "One" })],
  },
  {
    name: "an address gets its usual form, and may be there already",
    given,
    body: { url: "http://www.code.example/b/?z=1&utm_source=x&a=2#part" },
    expect: 204,
    records: [added({ url: "http://code.example/b?a=2&z=1#part" })],
  },
  {
    name: "no title",
    given,
    body: { url: "https://code.example", title: null },
    expect: 204,
    records: [added({ url: "https://code.example", title: null })],
  },
  ...["", "  ", "not a page", "javascript:alert(1)", "data:text/html,x", "ftp://a.b"].map((url) => ({
    name: `refused: ${JSON.stringify(url)}`,
    given,
    body: { url },
    expect: invalid,
    see: (body: { message: string }) => assert.match(body.message, /^body\.url: must be a web address/),
  })),
  { name: "without an address", given, body: { title: "One" }, expect: invalid },
  {
    name: "an eleventh",
    given: (w) =>
      w.project("a").feature("f", "a", {
        links: Array.from({ length: 10 }, (_, n) => ({ url: `https://x.example/${n}` })),
      }),
    body: { url: "https://example.com" },
    expect: [403, "OperationDeniedError"],
  },
  {
    name: "an unknown flag",
    given,
    url: `${FEATURES}/nope/link`,
    body: CODE,
    expect: [404, "NotFoundError"],
  },
  {
    name: "an archived flag",
    given,
    url: `${FEATURES}/gone/link`,
    body: CODE,
    expect: [404, "NotFoundError"],
  },
  { name: "another project's", given, url: `${FEATURES}/g/link`, body: CODE, expect: [404, "NotFoundError"] },
]);

scenarios(`PUT ${LINKS}/`, [
  {
    name: "the title stays if it is left out",
    given,
    url: "code",
    body: { url: "https://new.example" },
    expect: 204,
    records: [
      {
        type: "feature-link-updated",
        data: { url: "https://new.example", title: "Code" },
        preData: { url: "https://code.example", title: "Code" },
      },
    ],
  },
  {
    name: "null removes the title",
    given,
    url: "code",
    body: { url: "https://code.example", title: null },
    expect: 204,
    records: [{ type: "feature-link-updated", data: { url: "https://code.example", title: null } }],
  },
  { name: "nothing changes", given, url: "code", body: CODE, expect: 204 },
  { name: "an unknown one", given, url: "nope", body: CODE, expect: [404, "NotFoundError"] },
  {
    name: "another flag's",
    given: (w) => given(w).feature("h", "a"),
    url: `${FEATURES}/h/link/code`,
    body: CODE,
    expect: [404, "NotFoundError"],
  },
]);

scenarios(`DELETE ${LINKS}/`, [
  {
    name: "it is gone",
    given,
    url: "code",
    expect: 204,
    records: [{ type: "feature-link-removed", preData: { url: "https://code.example", title: "Code" } }],
  },
  { name: "an unknown one", given, url: "nope", expect: [404, "NotFoundError"] },
]);

/** The titles and addresses of a flag's links. */
async function linksOf({ request }: Awaited<ReturnType<typeof openServer>>, name: string) {
  const { body } = await request(`${FEATURES}/${name}`);
  return body.links.map(({ title, url }: { title: string; url: string }) => [title, url]);
}

test("a flag answers its links in the order in which they were added", async (t) => {
  const server = await openServer(t, given(createWorld()));
  await server.request(LINKS, { method: "POST", body: { url: "b.example" } });
  await server.request(LINKS, { method: "POST", body: { url: "a.example", title: "A" } });
  const [first] = (await server.request(`${FEATURES}/f`)).body.links;
  assert.deepEqual(first, { ...CODE, feature: "f" });
  assert.deepEqual(await linksOf(server, "f"), [
    ["Code", "https://code.example"],
    [null, "https://b.example"],
    ["A", "https://a.example"],
  ]);
});

const TEMPLATES = [
  { title: "Code of {{feature}}", urlTemplate: "https://code.example/?q={{project}}+{{feature}}" },
  { urlTemplate: "https://wiki.example/{{feature}}" },
];

const ofTemplates = (name: string) => [
  ["Code of {{feature}}", `https://code.example/?q=a+${name}`],
  [null, `https://wiki.example/${name}`],
];

test("new flags and clones get the links of their project's templates, and not those of the original", async (t) => {
  const server = await openServer(t, given(createWorld()));
  const body = { linkTemplates: TEMPLATES };
  await server.request("/api/admin/projects/a/settings", { method: "PUT", body });
  const overview = await server.request("/api/admin/projects/a/overview");
  assert.deepEqual(overview.body.linkTemplates, TEMPLATES);
  await server.request(FEATURES, { method: "POST", body: { name: "new" } });
  await server.request(`${FEATURES}/f/clone`, { method: "POST", body: { name: "copy" } });
  assert.deepEqual(await linksOf(server, "new"), ofTemplates("new"));
  assert.deepEqual(await linksOf(server, "copy"), ofTemplates("copy"));
});

test("a template that gives no web address adds no link", async (t) => {
  const linkTemplates = [{ urlTemplate: "javascript:{{feature}}" }, { urlTemplate: "{{feature}}.example" }];
  const server = await openServer(t, createWorld().project("a", { linkTemplates }));
  const { status } = await server.request(FEATURES, { method: "POST", body: { name: "new" } });
  assert.equal(status, 201);
  assert.deepEqual(await linksOf(server, "new"), [[null, "https://new.example"]]);
});

const BATCH = "/api/admin/features-batch";

test("an export has the links of its flags, and an import replaces those it names", async (t) => {
  const server = await openServer(t, given(createWorld()));
  const { request } = server;
  const exported = (features: string[]) =>
    request(`${BATCH}/export`, { method: "POST", body: { features, environment: "development" } });
  assert.ok(!("links" in (await exported(["g"])).body), "which an original of version 6 would refuse");
  const { body: data } = await exported(["f"]);
  assert.deepEqual(data.links, [{ feature: "f", links: [CODE] }]);
  await request(LINKS, { method: "POST", body: { url: "b.example" } });
  const imports = async (links?: object) => {
    const body = { project: "a", environment: "development", data: { ...data, links } };
    const { status } = await request(`${BATCH}/import`, { method: "POST", body });
    return status === 200 ? linksOf(server, "f") : status;
  };
  const code = ["Code", "https://code.example"];
  assert.deepEqual(await imports(undefined), [code, [null, "https://b.example"]]);
  assert.deepEqual(await imports(data.links), [code]);
  assert.deepEqual(await imports([{ feature: "f", links: Array(11).fill(CODE) }]), 403);
  assert.deepEqual(await imports([{ feature: "f", links: [] }]), []);
});
