import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { exportSql } from "../../src/unleash/to-sql.ts";
import { dataFile, temporaryFolder } from "../cli/run-cli.ts";
import { importLines, openServer } from "../support/server.ts";
import { openUnleash, UNLEASH_VERSIONS, WITHOUT_UNLEASH } from "../support/unleash.ts";
import { CLIENT, createWorld } from "../support/world.ts";
import { company, everyKey, type Line } from "../transfer/examples.ts";
import { empty } from "../transfer/importing.ts";

/*
 * What `export --as unleash` writes, loaded by the real one.
 */

type Unleash = Awaited<ReturnType<typeof openUnleash>>;

/** Fills the database of a new Unleash, and starts it again. */
async function load(t: TestContext, unleash: Unleash, db: Database) {
  const file = path.join(temporaryFolder(t), "out.sql");
  fs.writeFileSync(file, [...exportSql(db, { withSecrets: true, onEnd: () => {} })].join(""));
  await unleash.stop();
  unleash.psql("", ["-1", "-f", file]);
  await unleash.start();
}

/** A company whose first user has a password of Unleash, and whose applications have a token that is kept. */
function moved(passwordHash: string): Line[] {
  const lines: Line[] = JSON.parse(JSON.stringify(company()).replaceAll("@shop.example", "@example.com"));
  const admin = lines.find(({ kind, id }) => kind === "user" && id === 1)!;
  const token = createWorld().lines.find((line) => line.kind === "token" && line.type === "client")!;
  return [
    ...lines.map((line) => (line === admin ? { ...line, passwordHash, username: "tab\tand\\N" } : line)),
    { ...token, projects: ["default", "shop"], environment: "production", secret: CLIENT },
  ];
}

/** Asks as this user. */
async function signedIn({ url }: Unleash, username: string, password = "unleash4all") {
  const body = JSON.stringify({ username, password });
  const headers = { "content-type": "application/json" };
  const { status, headers: answered } = await fetch(`${url}/auth/simple/login`, {
    method: "POST",
    headers,
    body,
  });
  assert.equal(status, 200);
  const cookie = answered.get("set-cookie")!.split(";")[0]!;
  return async (where: string) => (await fetch(`${url}${where}`, { headers: { cookie } })).json();
}

// biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
type Body = any;

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

const picked = <T extends object>(one: T, ...keys: string[]) =>
  Object.fromEntries(keys.map((key) => [key, one[key as keyof T] ?? null]));

/** The reads, with what has to agree of their answers. Texts, pictures and the order of equals are each one's own. */
const READS: ReadonlyArray<[where: string, part: (body: Body) => unknown]> = [
  ...["default", "shop", "hidden"].map((project): [string, (body: Body) => unknown] => [
    `/api/admin/projects/${project}/features`,
    ({ features }) =>
      features
        .map(({ environments, tags, ...flag }: Body) => ({
          ...picked(flag, "name", "type", "stale", "createdAt", "favorite", "impressionData", "description"),
          tags: (tags ?? []).map(({ type, value }: Body) => `${type}:${value}`).sort(),
          environments: environments
            .map((one: Body) =>
              picked(one, "name", "enabled", "type", "variantCount", "hasStrategies", "lastSeenAt"),
            )
            .sort(byName),
        }))
        .sort(byName),
  ]),
  [
    "/api/admin/projects/shop/features/checkout.0/environments/production/strategies",
    (strategies) =>
      strategies.map((one: Body) =>
        picked(one, "id", "name", "title", "disabled", "segments", "constraints", "variants", "parameters"),
      ),
  ],
  [
    "/api/admin/events?project=shop",
    ({ events }) =>
      events
        .slice(0, 50)
        .map((one: Body) =>
          picked(
            one,
            "id",
            "createdAt",
            "type",
            "createdBy",
            "createdByUserId",
            "project",
            "featureName",
            "data",
            "preData",
            "tags",
          ),
        ),
  ],
  ["/api/admin/addons/1/events", ({ integrationEvents }) => integrationEvents],
  ["/api/admin/user-admin/5", (user) => picked(user, "id", "name", "email", "rootRole", "createdAt")],
  [
    "/api/admin/personal-dashboard/shop",
    ({ roles, owners, latestEvents }) => [
      roles,
      owners.map(({ ownerType, name }: Body) => [ownerType, name]),
      latestEvents.map(({ id }: Body) => id),
    ],
  ],
  ["/api/admin/segments", (body) => body],
  [
    "/api/admin/tag-types",
    ({ tagTypes }) => tagTypes.map((one: Body) => picked(one, "name", "description", "icon")),
  ],
  ["/api/admin/context", (fields) => picked(fields[0], "name", "description", "legalValues")],
];

for (const version of UNLEASH_VERSIONS) {
  test(`Unleash ${version} answers as the Flagstone that moved there`, {
    skip: WITHOUT_UNLEASH,
  }, async (t) => {
    const unleash = await openUnleash(t, version);
    const lines = moved(unleash.psql("SELECT password_hash FROM users WHERE id = 1"));
    const { db, request } = await openServer(t, { ...createWorld(), lines });
    await load(t, unleash, db);

    const ask = await signedIn(unleash, "person1@example.com");
    for (const [where, part] of READS)
      assert.deepEqual(part(await ask(where)), part((await request(where)).body), where);

    const headers = { authorization: CLIENT };
    const theirs = (await (await fetch(`${unleash.url}/api/client/features`, { headers })).json()) as Body;
    const { body } = await request("/api/client/features", { as: CLIENT });
    assert.deepEqual(forSdk(theirs), forSdk(body));
    assert.equal(((await ask("/api/admin/user-admin/1")) as Body).username, "tab\tand\\N");
  });

  test(`Unleash ${version} takes every key of a dataset`, { skip: WITHOUT_UNLEASH }, async (t) => {
    const unleash = await openUnleash(t, version);
    const db = empty(t);
    await importLines(db, everyKey());
    await load(t, unleash, db);
    const count = (table: string) => unleash.psql(`SELECT count(*) FROM ${table}`);
    assert.equal(count("feature_strategies WHERE environment = 'development'"), "2");
    assert.equal(count("role_permission WHERE role_id = 6 AND permission = 'READ_LOGS'"), "1");
    assert.equal(
      unleash.psql("SELECT nextval('segments_id_seq')"),
      "9",
      "ids go on after the last one given",
    );
    if (version === "8.2.0") assert.equal(count("feature_link"), "2");
    if (version === "8.2.0") assert.equal(count("events WHERE group_type = 'transaction'"), "1");
    await assert.rejects(load(t, unleash, db), /this Unleash is in use/);
  });
}

test("docs/migrating.md: into a new database, a first password, and a push", {
  skip: WITHOUT_UNLEASH,
}, async (t) => {
  const unleash = await openUnleash(t, "8.2.0", { INIT_ADMIN_API_TOKENS: "*:*.SECRET" });
  const data = await dataFile(t, createWorld().project("default").feature("f", "default").lines);
  const page = fs.readFileSync("docs/migrating.md", "utf8");
  const block = (text: string) =>
    [...page.matchAll(/^```sh\n(.*?)^```$/gms)]
      .map(([, script]) => script!)
      .find((script) => script.includes(text))!;
  const program = [
    process.execPath,
    "--import",
    path.resolve("scripts/preload.mjs"),
    path.resolve("src/main.ts"),
  ];
  const run = (script: string, env: Record<string, string>) =>
    execFileSync("bash", ["-c", `set -e\nflagstone() { ${program.join(" ")} "$@"; }\n${script}`], {
      cwd: path.dirname(data),
      env: { ...process.env, ...env },
      stdio: "pipe",
    });
  await unleash.stop();
  run(block("psql"), { DATABASE_URL: unleash.databaseUrl });
  await unleash.start();
  run(block("change-password"), { UNLEASH_URL: unleash.url });
  const [, password] = /"password":"(.*?)"/.exec(page)!;
  await signedIn(unleash, "admin", password);
  assert.equal(unleash.psql("SELECT name FROM features"), "f");
  const pushed = run(block("flagstone push"), { UNLEASH_URL: unleash.url }).toString();
  assert.equal(pushed, "", "there is nothing left to push");
});

const forSdk = ({ features, segments }: Body) => ({
  segments,
  features: features
    .map(({ strategies, dependencies, ...flag }: Body) => ({
      ...picked(flag, "name", "type", "enabled", "project", "impressionData"),
      dependencies: [...new Set(dependencies?.map((one: Body) => one.feature))],
      strategies: strategies.map((one: Body) =>
        picked(one, "name", "constraints", "parameters", "variants", "segments"),
      ),
    }))
    .sort(byName),
});
