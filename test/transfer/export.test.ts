import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { close, open } from "../../src/db/open.ts";
import { exportDataset } from "../../src/transfer/export.ts";
import { importDataset, isUntouched } from "../../src/transfer/import.ts";
import { asChunks, importLines, openServer } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";
import { company, everyKey, exported, HEADER, type Line, TIME } from "./examples.ts";
import { empty } from "./importing.ts";

async function database(t: TestContext, lines: readonly object[]): Promise<Database> {
  const db = empty(t);
  await importLines(db, lines);
  return db;
}

const parsed = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const ofKind = (lines: readonly Line[], kind: string) => lines.filter((line) => line.kind === kind);

/** A medium-sized world, from the builders of the other tests. */
const world = () =>
  createWorld()
    .project("a")
    .project("secret", { mode: "private" })
    .group("insiders", [3])
    .member("a", 1, 4)
    .groupMember("secret", 1)
    .feature("f", "a", {
      environments: [{ name: "development", enabled: true, strategies: [{ name: "default" }] }],
    })
    .integration({ parameters: { url: "https://x.example", authorization: "hush" } })
    .event({ project: "a", data: { name: "f" } })
    .event({ project: "secret" })
    .integrationEvent()
    .notification({ recipients: [{ userId: 1 }, { userId: 3, readAt: TIME }] }).lines;

const WORLDS: ReadonlyArray<[name: string, lines: () => object[]]> = [
  ["every key of every kind", everyKey],
  ["a company", company],
  ["a small world", world],
];

test("every key of every kind is exported as it was imported", async (t) => {
  const db = await database(t, everyKey());
  assert.deepEqual(parsed(exported(db)), everyKey());
});

test("each line starts with its kind", async (t) => {
  const db = await database(t, company());
  const lines = exported(db).trimEnd().split("\n");
  assert.ok(lines.length > 500, `${lines.length} lines`);
  assert.ok(lines.every((line) => /^\{"kind":"[a-zA-Z]+",/.test(line)));
  assert.equal(lines[0], JSON.stringify(HEADER));
});

for (const [name, lines] of WORLDS) {
  test(`${name}: exporting, importing and exporting again yields the same text`, async (t) => {
    const first = exported(await database(t, lines()));
    const db = empty(t);
    await importDataset(db, asChunks(first));
    assert.equal(exported(db), first);
  });

  test(`${name}: the nine operations return the same bytes after export and import`, async (t) => {
    const before = await openServer(t, { ...createWorld(), lines: lines() as Line[] });
    const after = await openServer(t, { ...createWorld(), lines: [HEADER] } as World);
    await importDataset(after.db, asChunks(exported(before.db)));
    const expected = await answers(before, lines() as Line[]);
    assert.equal(Object.keys(expected.operations).length, 9, "all operations were called");
    assert.deepEqual(await answers(after, lines() as Line[]), expected);
  });
}

type Server = Awaited<ReturnType<typeof openServer>>;

/** What each caller gets from each operation: status, length and text, without the ids of errors. */
async function answers({ request }: Server, lines: Line[]) {
  const callers = [SERVICE, personal(1), personal(2), personal(3)];
  const texts: Record<string, string> = {};
  const operations: Record<string, number> = {};
  for (const as of callers) {
    for (const [operation, path, body] of questions(lines)) {
      const { status, text, headers } = await request(path, {
        as,
        ...(body && { method: "POST", body }),
      });
      const shown = status < 400 ? `${headers.get("etag")} ${text}` : JSON.parse(text).message;
      texts[`${as} ${path} ${JSON.stringify(body)}`] = `${status} ${shown}`;
      if (status === 200) operations[operation] = (operations[operation] ?? 0) + 1;
    }
  }
  return { operations, texts };
}

type Question = [operation: string, path: string, body?: object];

function questions(lines: Line[]): Question[] {
  const admin = "/api/admin";
  const part = (value: unknown) => encodeURIComponent(String(value));
  const projects = ofKind(lines, "project").map((line) => part(line.id));
  const environments = ofKind(lines, "environment").map((line) => part(line.name));
  const list: Question[] = [
    ["events", `${admin}/events`],
    ["notifications", `${admin}/notifications`],
    ["dashboard", `${admin}/personal-dashboard`],
    ...[
      {},
      { query: "É" },
      { query: "a" },
      { type: "feature-updated" },
      { project: "a" },
      { feature: "f" },
    ].map((body): Question => ["search", `${admin}/events/search`, body]),
    ...ofKind(lines, "integration").map(
      ({ id }): Question => ["integration events", `${admin}/addons/${id}/events?limit=1000`],
    ),
    ...ofKind(lines, "user").map(({ id }): Question => ["user", `${admin}/user-admin/${id}`]),
  ];
  for (const project of [...projects, "gone"]) {
    list.push(["events", `${admin}/events?project=${project}`]);
    list.push(["features", `${admin}/projects/${project}/features`]);
    list.push(["details", `${admin}/personal-dashboard/${project}`]);
  }
  for (const { project, name } of ofKind(lines, "feature").slice(0, 20)) {
    for (const environment of environments) {
      const place = `${part(project)}/features/${part(name)}/environments/${environment}`;
      list.push(["strategies", `${admin}/projects/${place}/strategies`]);
    }
  }
  return list;
}

test("an export can be imported after a user whose change notified others was deleted", async (t) => {
  const { db, request } = await openServer(t, createWorld().project("default").member("default", 3));
  const create = { method: "POST", as: personal(2), body: { name: "f" } };
  assert.equal((await request("/api/admin/projects/default/features", create)).status, 201);
  assert.equal((await request("/api/admin/user-admin/2", { method: "DELETE" })).status, 200);
  const text = exported(db);
  assert.equal(exported(await database(t, parsed(text))), text);
});

test("an event of an unknown type is kept and served, without a label and a summary", async (t) => {
  const { request } = await openServer(t, createWorld().event({ type: "__proto__", featureName: "f" }));
  const { body } = await request("/api/admin/events");
  assert.partialDeepStrictEqual(body.events, [{ type: "__proto__", label: null, summary: null }]);
});

test("the id of a deleted user is not given again in a copy", async (t) => {
  const { db, request } = await openServer(t, createWorld());
  await request("/api/admin/user-admin/4", { method: "DELETE" });
  const copy = await openServer(t, { ...createWorld(), lines: parsed(exported(db)) });
  const body = { username: "nina", rootRole: 3 };
  assert.equal((await copy.request("/api/admin/user-admin", { method: "POST", body })).body.id, 5);
});

/** What an import of the first bytes of an export into an empty database ends with. */
async function afterCut(db: Database, text: Buffer, length = text.length) {
  try {
    await importDataset(db, asChunks(text.subarray(0, length)));
    return "imported";
  } catch (error) {
    assert.ok(isUntouched(db), `nothing is stored of ${length} bytes`);
    return String(error);
  }
}

test("an export that was cut short anywhere is rejected whole, and says so", async (t) => {
  const text = Buffer.from([...exportDataset(await database(t, everyKey()))].join(""));
  const db = empty(t);
  const ends = [...text.keys()].filter((index) => text[index] === 0x0a);
  const sampled = [...Array(60).keys()].map((index) => Math.floor((index * text.length) / 60) + 1);
  for (const length of [...ends.slice(0, -1).flatMap((end) => [end, end + 1]), ...sampled])
    assert.match(await afterCut(db, text, length), /cut short|not valid UTF-8/, String(length));
  assert.match(await afterCut(db, Buffer.concat([text, text])), /comes after the end of the dataset$/);
  assert.equal(await afterCut(db, text, text.length - 1), "imported", "only the last line break is missing");
});

test("a flag may depend on a later one, on itself, in a cycle, or on an unknown one", async (t) => {
  const feature = (name: string, ...parents: string[]) => ({
    kind: "feature",
    name,
    project: "a",
    dependencies: parents.map((parent) => ({ feature: parent })),
  });
  const { lines } = createWorld().project("a");
  const db = await database(t, [
    ...lines,
    feature("a", "b", "nowhere"),
    feature("b", "a"),
    feature("self", "self"),
  ]);
  const text = exported(db);
  assert.deepEqual(
    ofKind(parsed(text), "feature").map(({ name, dependencies }) => [name, dependencies]),
    [
      ["a", [dependency("b"), dependency("nowhere")]],
      ["b", [dependency("a")]],
      ["self", [dependency("self")]],
    ],
  );
  assert.equal(exported(await database(t, parsed(text))), text);
});

const dependency = (feature: string) => ({ feature, enabled: true, variants: [] });

test("a long chain of dependencies is exported and imported", async (t) => {
  const length = 300;
  const name = (index: number) => `f${String(length - index).padStart(3, "0")}`;
  const features = Array.from({ length }, (_, index) => ({
    kind: "feature",
    name: name(index),
    project: "a",
    dependencies: index === 0 ? [] : [{ feature: name(index - 1) }],
  }));
  const db = await database(t, [...createWorld().project("a").lines, ...features]);
  const again = await database(t, parsed(exported(db)));
  assert.equal(exported(again), exported(db));
});

/** Parameters of the original's integrations; those it declares sensitive are `secret`. */
const PARAMETERS: Record<string, Record<string, unknown>> = {
  webhook: {
    url: "secret",
    authorization: "secret",
    customHeaders: "secret",
    contentType: "shown",
    bodyTemplate: "shown",
  },
  slack: {
    url: "secret",
    customHeaders: "secret",
    username: "shown",
    emojiIcon: "shown",
    defaultChannel: "shown",
  },
  "slack-app": { accessToken: "secret", defaultChannels: "shown" },
  teams: { url: "secret", customHeaders: "secret" },
  datadog: {
    apiKey: "secret",
    customHeaders: "secret",
    url: "shown",
    sourceTypeName: "shown",
    bodyTemplate: "shown",
  },
  "new-relic": { licenseKey: "secret", customHeaders: "secret", url: "shown", bodyTemplate: "shown" },
};

/** The parameters as exported. */
async function parametersOf(t: TestContext, line: Line, options?: { withSecrets: boolean }) {
  const db = await database(t, createWorld().integration(line).lines);
  const [written] = ofKind(parsed([...exportDataset(db, options)].join("")), "integration");
  return written!.parameters;
}

for (const [provider, parameters] of Object.entries(PARAMETERS)) {
  test(`the secret parameters of ${provider} are masked unless requested`, async (t) => {
    const masked = Object.entries(parameters).map(([name, value]) => [
      name,
      value === "secret" ? "*****" : value,
    ]);
    assert.deepEqual(await parametersOf(t, { provider, parameters }), Object.fromEntries(masked));
    assert.deepEqual(await parametersOf(t, { provider, parameters }, { withSecrets: true }), parameters);
  });
}

for (const [name, line] of [
  ["that the provider does not have", { provider: "webhook", parameters: { jwt: "hush" } }],
  [
    "with a harmless-sounding name",
    { provider: "slack-app", parameters: { url: "hush", contentType: "hush" } },
  ],
  [
    "of an unknown provider",
    { provider: "own", parameters: { url: "hush", passphrase: "hush", channel: "hush" } },
  ],
  ["of a provider with an inherited name", { provider: "constructor", parameters: { name: "hush" } }],
  [
    "within an invalid parameter",
    { provider: "datadog", parameters: { url: { token: "hush" }, bodyTemplate: ["hush"] } },
  ],
  ["that is not text", { provider: "webhook", parameters: { pin: 1234, isOpen: true } }],
  ["with an inherited name", { provider: "webhook", parameters: JSON.parse('{"__proto__":"hush"}') }],
] as const) {
  test(`a parameter ${name} is masked`, async (t) => {
    const written = await parametersOf(t, line);
    const expected = Object.keys(line.parameters).map((key) => [key, "*****"]);
    assert.deepEqual(written, Object.fromEntries(expected));
  });
}

test("a parameter that is not secret is shown", async (t) => {
  const parameters = { contentType: "text/plain", bodyTemplate: 5 };
  assert.deepEqual(await parametersOf(t, { provider: "webhook", parameters }), parameters);
});

test("password hashes and invitation links are masked unless requested", async (t) => {
  const secrets = { inviteLink: "https://flags.example/hush", passwordHash: "$2a$10$hush" };
  const db = await database(t, createWorld().user(secrets).lines);
  const last = (options?: { withSecrets: boolean }) =>
    ofKind(parsed([...exportDataset(db, options)].join("")), "user").at(-1)!;
  assert.deepEqual(last(), { ...last({ withSecrets: true }), inviteLink: "*****", passwordHash: "*****" });
  assert.deepEqual({ ...last({ withSecrets: true }), ...secrets }, last({ withSecrets: true }));
  assert.ok(
    !("passwordHash" in ofKind(parsed([...exportDataset(db)].join("")), "user")[0]!),
    "a missing one is not masked",
  );
});

test("a mask stays a mask when imported again", async (t) => {
  const { lines } = createWorld()
    .integration({ provider: "slack-app", parameters: { accessToken: "hush" } })
    .user({ inviteLink: "hush", passwordHash: "hush" });
  const masked = [...exportDataset(await database(t, lines))].join("");
  assert.ok(!masked.includes("hush"));
  const db = await database(t, parsed(masked));
  assert.equal([...exportDataset(db)].join(""), masked);
  assert.equal(
    [...exportDataset(db, { withSecrets: true })].join(""),
    masked,
    "the masks are all that is stored",
  );
});

test("ids beyond the safe integers are preserved", async (t) => {
  const ids = ["1", "9007199254740993", String(2n ** 62n), String(2n ** 63n - 1n)];
  const { lines } = createWorld().integration().event();
  for (const id of ids) {
    lines.push({
      kind: "integrationEvent",
      id,
      integrationId: 1,
      eventId: 1,
      createdAt: TIME,
      state: "success",
      stateDetails: "",
    });
  }
  const db = await database(t, lines);
  const written = ofKind(parsed(exported(db)), "integrationEvent").map((line) => line.id);
  assert.deepEqual(written, ids);
});

test("an export is a consistent snapshot while another process writes", async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-export-"));
  const [db, other] = [open(path.join(folder, "a.db")), open(path.join(folder, "a.db"))];
  t.after(() => {
    close(db);
    close(other);
    fs.rmSync(folder, { recursive: true });
  });
  await importLines(db, everyKey());
  const before = [...exportDataset(db, { withSecrets: true })].join("");
  const lines = exportDataset(db, { withSecrets: true });
  const begin = [lines.next().value, lines.next().value];
  await importLines(other, [HEADER, { kind: "tagType", name: "late" }]);
  assert.equal([...begin, ...lines].join(""), before);
  assert.ok(exported(db).includes("late"), "the next export includes it");
});

test("an export that is not read to the end leaves nothing open", async (t) => {
  const db = await database(t, company());
  for (const line of exportDataset(db)) if (line.includes('"event"')) break;
  assert.equal(db.inTransaction, false);
  await importLines(db, [HEADER, { kind: "tagType", name: "late" }]);
});

test("an export contains no token secret", async (t) => {
  const text = exported(await database(t, everyKey()));
  for (const secret of [personal(1), personal(2), SERVICE]) assert.ok(!text.includes(secret));
});

test("an export of an empty file is its first and last line", async (t) => {
  const lines = parsed([...exportDataset(await database(t, [HEADER]))].join(""));
  assert.deepEqual(lines, [{ ...HEADER, hasEnd: true }, { kind: "end" }]);
});
