import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { checkFile } from "../../src/db/check.ts";
import type { Database } from "../../src/db/database.ts";
import { close, open } from "../../src/db/open.ts";
import { encrypt } from "../../src/db/secrets.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { forgetSecrets, keepSecrets } from "../../src/people/token-secrets.ts";
import { createServer } from "../../src/server/app.ts";
import { exportDataset } from "../../src/transfer/export.ts";
import { contentOf, runHere, temporaryFolder } from "../cli/run-cli.ts";
import { withCustomRole, withCustomRoot } from "../support/bad-bodies.ts";
import { importLines, openServer } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

/*
 * `--readable-token-secrets`: the secrets of API tokens are kept, encrypted, and shown in lists.
 */

const API = "/api/admin/api-tokens";
const TOKEN = { tokenName: "shop", type: "client", environment: "development", projects: ["a"] };
const MASKED = /:\w+\.\*{5}-\d+$/;

async function keeping(t: TestContext, given: (world: World) => World = (world) => world) {
  const server = await openServer(t, given(createWorld().project("a").project("b")));
  inWriting(server.db, keepSecrets);
  const create = async (token: object = {}, as = personal(1)) =>
    (await server.request(API, { method: "POST", as, body: { ...TOKEN, ...token } })).body.secret as string;
  /** The listed secrets of the tokens named `shop`, or else what is answered instead. */
  const listed = async (as = personal(1), url = `${API}/shop`) => {
    const { body } = await server.request(url, { as });
    return body.tokens?.map(({ secret }: { secret: string }) => secret) ?? body;
  };
  return { ...server, create, listed };
}

for (const [type, scope] of [
  ["client", {}],
  ["frontend", {}],
  ["admin", { environment: "*", projects: ["*"] }],
] as const)
  test(`the secret of a new token of the type ${type} is in all lists`, async (t) => {
    const { create, listed } = await keeping(t);
    const secret = await create({ type, ...scope });
    assert.deepEqual(await listed(), [secret]);
    assert.ok((await listed(personal(1), API)).includes(secret));
    if (type !== "admin")
      assert.deepEqual(await listed(personal(1), "/api/admin/projects/a/api-tokens"), [secret]);
  });

test("without it, and for tokens made before, secrets are masked", async (t) => {
  const { db, create, listed } = await keeping(t);
  inWriting(db, forgetSecrets);
  await create();
  inWriting(db, keepSecrets);
  assert.match((await listed())[0], MASKED);
});

test("switched off, it forgets the secrets, also for when it is switched on again", async (t) => {
  const { db, create, listed } = await keeping(t);
  await create();
  inWriting(db, forgetSecrets);
  assert.match((await listed())[0], MASKED);
  assert.equal(db.prepare("SELECT count(secret) FROM tokens").pluck().get(), 0);
  inWriting(db, keepSecrets);
  assert.match((await listed())[0], MASKED);
});

test("the secret of a personal token is never kept", async (t) => {
  const { db, request } = await keeping(t);
  const body = { description: "laptop", expiresAt: "2099-01-01T00:00:00.000Z" };
  await request("/api/admin/user/tokens", { method: "POST", body });
  assert.equal(db.prepare("SELECT count(secret) FROM tokens").pluck().get(), 0);
  const { body: list } = await request("/api/admin/user/tokens");
  assert.ok(list.pats.every((token: object) => !("secret" in token)));
});

test("only those who may read tokens of the type see the secrets", async (t) => {
  const { create, listed } = await keeping(
    t,
    withCustomRole((w) => w, { name: "READ_PROJECT_API_TOKEN" }),
  );
  const [own, shared] = [await create(), await create({ projects: ["a", "b"] })];
  assert.deepEqual(await listed(), [own, shared]);
  assert.equal((await listed(personal(4))).name, "NoAccessError");
  const inProject = await listed(personal(3), "/api/admin/projects/a/api-tokens");
  assert.equal(inProject[0], own);
  assert.match(inProject[1], MASKED, "it would open another project");
});

test("a secret that opens a hidden project is masked", async (t) => {
  const given = withCustomRoot((w) => w.project("hidden", { mode: "private" }), {
    name: "READ_CLIENT_API_TOKEN",
  });
  const { create, listed } = await keeping(t, given);
  const [secret] = [
    await create(),
    await create({ projects: ["*"] }),
    await create({ projects: ["hidden"] }),
  ];
  const [first, all, ...others] = await listed(personal(5));
  assert.equal(first, secret);
  assert.match(all, MASKED);
  assert.deepEqual(others, []);
});

/** A file that keeps secrets, with one token, and what a server answers from it. */
async function fileKeeping(t: TestContext) {
  const file = path.join(temporaryFolder(t), "flags.db");
  const opened: Database[] = [];
  t.after(() => opened.forEach(close));
  const serve = () => {
    const db = open(file);
    opened.push(db);
    const { app } = createServer({ db, log: () => {} });
    const headers = { authorization: personal(1), "content-type": "application/json" };
    return {
      db,
      create: async () => {
        const made = await app.request(API, { method: "POST", headers, body: JSON.stringify(TOKEN) });
        return ((await made.json()) as { secret: string }).secret;
      },
      listed: async () => {
        const { tokens } = (await (await app.request(`${API}/shop`, { headers })).json()) as {
          tokens: Array<{ secret: string }>;
        };
        return tokens[0]!.secret;
      },
    };
  };
  const server = serve();
  await importLines(server.db, createWorld().project("a").lines);
  inWriting(server.db, keepSecrets);
  return { file, serve, secret: await server.create(), ...server };
}

test("the secret is in no file, event or export, unless the export is with secrets", async (t) => {
  const { file, secret, db } = await fileKeeping(t);
  const random = secret.split(".")[1]!;
  for (const name of fs.readdirSync(path.dirname(file)))
    assert.ok(!fs.readFileSync(path.join(path.dirname(file), name), "latin1").includes(random), name);
  assert.ok(![...exportDataset(db)].join("").includes(random));
  assert.ok(![...exportDataset(db)].join("").includes("encrypted:"));
  assert.ok(contentOf(file).includes(`"secret":"${secret}"`));
});

test("a new key encrypts the secrets of tokens too", async (t) => {
  const { file, secret, listed } = await fileKeeping(t);
  const [key, stored] = [fs.readFileSync(`${file}.key`, "utf8"), storedIn(file)];
  const { code, stdout } = await runHere(["secrets", "rotate", "--data", file]);
  assert.deepEqual(
    [
      code,
      stdout.includes(
        "0 integrations, 1 token, 0 second factors, 0 sessions, and 0 providers with a new key",
      ),
    ],
    [0, true],
    stdout,
  );
  assert.ok(!fs.readFileSync(`${file}.key`, "utf8").includes(key.trim()));
  assert.notEqual(storedIn(file), stored);
  assert.equal(await listed(), secret);
});

test("without its key a secret is masked, and doctor says so", async (t) => {
  const { file, serve } = await fileKeeping(t);
  const secrets = () => checkFile(file).find(({ name }) => name === "secrets");
  const db = open(file);
  db.prepare("INSERT INTO settings VALUES ('unleash.enterprise.auth.oidc', json_object('secret', ?))").run(
    encrypt(db, "the provider's", "unleash.enterprise.auth.oidc"),
  );
  close(db);
  assert.deepEqual(secrets(), { name: "secrets", problem: undefined, warning: undefined });
  fs.rmSync(`${file}.key`);
  assert.match(await serve().listed(), MASKED);
  assert.match(secrets()!.warning!, /^the key of some of them is missing \(2\): restore the key file/);
});

function storedIn(file: string) {
  const db = open(file);
  try {
    return db.prepare("SELECT secret FROM tokens WHERE secret IS NOT NULL").pluck().get();
  } finally {
    close(db);
  }
}
