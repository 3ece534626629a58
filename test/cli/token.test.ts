import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { createServer } from "../../src/server/app.ts";
import { createWorld, personal } from "../support/world.ts";
import { assertRefused, contentOf, dataFile, linesOf, runHere, temporaryFolder } from "./run-cli.ts";

const HELP = " token create";

const eventsOf = (file: string) => linesOf(file).filter((line) => line.kind === "event");
const tokensOf = (file: string) => linesOf(file).filter((line) => line.kind === "token");

/** The status that the admin API returns for a secret. */
async function statusFor(file: string, secret: string, where = "/events") {
  const db = open(file, { mustExist: true });
  try {
    const { app } = createServer({ db, log: () => {} });
    const reply = await app.request(`/api/admin${where}`, { headers: { authorization: secret } });
    return reply.status;
  } finally {
    close(db);
  }
}

/** The arguments, the form of the secret, what is stored besides its hash, and the status from the admin API. */
const CREATED = [
  {
    name: "a personal token by username",
    args: ["--user", "admin"],
    secret: /^user:[0-9a-f]{56}$/,
    stored: { type: "user", userId: 1, projects: ["*"] },
    event: "pat-created",
    status: 200,
  },
  {
    name: "a personal token by e-mail address with an expiry, stored in UTC",
    args: ["--type", "user", "--user", "edith@example.com", "--expires", "2999-01-01T00:00:00+01:00"],
    secret: /^user:[0-9a-f]{56}$/,
    stored: { type: "user", userId: 2, projects: ["*"], expiresAt: "2998-12-31T23:00:00.000Z" },
    event: "pat-created",
    status: 200,
  },
  {
    name: "a personal token by id",
    args: ["--user", "3"],
    secret: /^user:[0-9a-f]{56}$/,
    stored: { type: "user", userId: 3, projects: ["*"] },
    event: "pat-created",
    status: 200,
  },
  {
    name: "a service token",
    args: ["--type", "admin"],
    secret: /^\*:\*\.[0-9a-f]{56}$/,
    stored: { type: "admin", projects: ["*"] },
    event: "api-token-created",
    status: 200,
  },
  {
    name: "a client token for all projects",
    args: ["--type", "client", "--environment", "production"],
    secret: /^\*:production\.[0-9a-f]{56}$/,
    stored: { type: "client", projects: ["*"], environment: "production" },
    event: "api-token-created",
    status: 403,
  },
  {
    name: "a backend token, which is a client token, for * projects",
    args: ["--type", "backend", "--environment", "production", "--project", "*"],
    secret: /^\*:production\.[0-9a-f]{56}$/,
    stored: { type: "client", projects: ["*"], environment: "production" },
    event: "api-token-created",
    status: 403,
  },
  {
    name: "a client token for two projects",
    args: ["--type", "client", "--environment", "production", "--project", "a", "--project", "b"],
    secret: /^\[\]:production\.[0-9a-f]{56}$/,
    stored: { type: "client", projects: ["a", "b"], environment: "production" },
    event: "api-token-created",
    status: 403,
  },
  {
    name: "a client token for all projects, though one is named too",
    args: ["--type", "client", "--environment", "production", "--project", "a", "--project", "*"],
    secret: /^\*:production\.[0-9a-f]{56}$/,
    stored: { type: "client", projects: ["*"], environment: "production" },
    event: "api-token-created",
    status: 403,
  },
  {
    name: "a client token for one project, named twice",
    args: ["--type", "client", "--environment", "production", "--project", "a", "--project", "a"],
    secret: /^a:production\.[0-9a-f]{56}$/,
    stored: { type: "client", projects: ["a"], environment: "production" },
    event: "api-token-created",
    status: 403,
  },
  {
    name: "a frontend token for one project",
    args: ["--type", "frontend", "--environment", "development", "--project", "a"],
    secret: /^a:development\.[0-9a-f]{56}$/,
    stored: { type: "frontend", projects: ["a"], environment: "development" },
    event: "api-token-created",
    status: 403,
  },
];

describe("token create", { concurrency: 4 }, () => {
  for (const { name, args, secret: form, stored, event, status } of CREATED) {
    test(`${name}: shown once, hashed, recorded without its secret`, async (t) => {
      const data = await dataFile(t, createWorld().project("a").project("b").lines);
      const before = tokensOf(data).length;
      const isJson = args.length > 2;
      const all = ["token", "create", "ci", ...args, "--data", data, ...(isJson ? ["--json"] : [])];
      const { code, stdout, stderr } = await runHere(all);
      assert.deepEqual([code, stderr], [0, ""]);
      const secret = isJson ? JSON.parse(stdout).secret : stdout.trimEnd();
      assert.match(secret, form);
      if (isJson) assert.deepEqual(Object.keys(JSON.parse(stdout)), ["id", "name", "type", "secret"]);
      const { kind, id: _, name: stored_name, hash, createdAt, ...rest } = tokensOf(data)[before]!;
      assert.deepEqual([kind, stored_name, rest], ["token", "ci", stored]);
      assert.match(String(hash), /^[0-9a-f]{64}$/);
      assert.ok(Date.parse(String(createdAt)) <= Date.now());
      const [recorded, ...others] = eventsOf(data);
      assert.deepEqual(
        [recorded?.type, recorded?.createdBy, recorded?.createdByUserId],
        [event, "cli", null],
      );
      assert.deepEqual(others, [], "exactly one event");
      assert.ok(!contentOf(data).includes(secret));
      assert.equal(await statusFor(data, secret), status);
    });
  }

  for (const [args, code, message] of [
    [["ci"], 2, "--user: is required for this type; list the users with flagstone user list"],
    [["ci", "--user", "nobody"], 1, "There is no user nobody: list the users with flagstone user list"],
    [["ci", "--type", "root"], 2, "--type: must be one of user, admin, client, frontend"],
    [["ci", "--type", "admin", "--user", "admin"], 2, "--user: is not for tokens of the type admin"],
    [
      ["ci", "--type", "client", "--user", "1", "--environment", "x"],
      2,
      "--user: is not for tokens of the type client",
    ],
    [["ci", "--type", "client"], 2, "--environment: is required for this type"],
    [
      ["ci", "--type", "client", "--environment", "nope", "--project", "zzz"],
      2,
      "--environment: there is no environment nope",
    ],
    [
      ["ci", "--type", "client", "--environment", "production", "--project", "a", "--project", "zzz"],
      2,
      "--project: there is no project zzz",
    ],
    [["c\ti", "--user", "admin"], 2, '"c\\ti": a name must not contain control characters'],
    [["ci", "--type", "admin", "--environment", "x"], 2, "--environment: is only for client and frontend"],
    [["ci", "--user", "admin", "--environment", "x"], 2, "--environment: is only for client and frontend"],
    [["ci", "--user", "admin", "--project", "a"], 2, "--project: is only for client and frontend"],
    [["ci", "--type", "admin", "--project", "a"], 2, "--project: is only for client and frontend"],
    [["ci", "--user", "admin", "--expires", "2020-01-01T00:00:00Z"], 2, "--expires: is in the past"],
    [
      ["ci", "--user", "admin", "--expires", "tomorrow"],
      2,
      "--expires: must be an RFC 3339 time such as 2026-01-31T09:00:00.000Z",
    ],
    [["ci", "--user", "admin", "--expires", "2999-02-30T00:00:00Z"], 2, "--expires: must be a valid time"],
  ] as const) {
    test(`${args.join(" ")} is refused and records nothing`, async (t) => {
      const data = await dataFile(t, createWorld().project("a").lines);
      const before = contentOf(data);
      assertRefused(await runHere(["token", "create", ...args, "--data", data]), code, message, HELP);
      assert.equal(contentOf(data), before);
    });
  }

  for (const [name, args] of [
    ["name", ["", "--user", "admin"]],
    ["project", ["ci", "--type", "client", "--environment", "x", "--project", ""]],
    ["environment", ["ci", "--type", "client", "--environment", ""]],
  ] as const) {
    test(`an empty ${name}, which an import would reject, is refused`, async (t) => {
      const data = await dataFile(t, createWorld().lines);
      const { code, stdout, stderr } = await runHere(["token", "create", ...args, "--data", data]);
      assert.deepEqual([code, stdout], [2, ""], stderr);
    });
  }

  test("a missing data file is refused and not created", async (t) => {
    const data = path.join(temporaryFolder(t), "missing.db");
    const result = await runHere(["token", "create", "ci", "--user", "admin", "--data", data]);
    assertRefused(result, 3, `There is no file ${data}: name the data file with --data`);
  });
});

describe("token list and revoke", { concurrency: 4 }, () => {
  test("the list shows each token, but neither its secret nor its hash", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const [shown, json] = await Promise.all([
      runHere(["token", "list", "--data", data]),
      runHere(["token", "list", "--json", "--data", data]),
    ]);
    const lines = shown.stdout.split("\n");
    assert.match(lines[0]!, /^id {2}type +name +user +projects +environment +createdAt +expiresAt$/);
    assert.match(lines[1]!, /^1 {3}user +test +admin +\* +- +20\S+Z +-$/);
    assert.match(lines[6]!, /^6 {3}client +the client token +- +\* +development +20\S+Z +-$/);
    const tokens = JSON.parse(json.stdout);
    assert.deepEqual(Object.keys(tokens[0]), [
      "id",
      "type",
      "name",
      "userId",
      "user",
      "projects",
      "environment",
      "createdAt",
      "expiresAt",
      "seenAt",
    ]);
    assert.deepEqual([tokens.length, tokens[1].user, tokens[4].type], [7, "user2", "admin"]);
    for (const { hash } of tokensOf(data)) assert.ok(!(shown.stdout + json.stdout).includes(String(hash)));
  });

  test("a revoked token is deleted, and that is recorded", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    assert.equal(await statusFor(data, personal(1)), 200);
    const result = await runHere(["token", "revoke", "1", "--data", data]);
    assert.deepEqual(result, { code: 0, stdout: "Revoked token 1\n", stderr: "" });
    assert.equal(await statusFor(data, personal(1)), 401);
    assert.equal(tokensOf(data).length, 6);
    const [event, ...others] = eventsOf(data);
    assert.deepEqual([event?.type, event?.createdBy, others], ["pat-deleted", "cli", []]);
    assert.ok(!contentOf(data).includes(personal(1)));
  });

  test("a revoked service token is recorded as one", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    assert.equal((await runHere(["token", "revoke", "5", "--data", data])).code, 0);
    assert.equal(eventsOf(data)[0]?.type, "api-token-deleted");
  });

  for (const id of ["99", "0", "x", "1.5", " 1", "99999999999999999999"]) {
    test(`an unknown id ${JSON.stringify(id)} is refused`, async (t) => {
      const data = await dataFile(t, createWorld().lines);
      const before = contentOf(data);
      const result = await runHere(["token", "revoke", id, "--data", data]);
      assertRefused(
        result,
        1,
        `There is no token with the id ${id}: list the tokens with flagstone token list`,
      );
      assert.equal(contentOf(data), before);
    });
  }

  test("the id of a deleted token is not reused", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const make = async () =>
      JSON.parse((await runHere(["token", "create", "ci", "--user", "1", "--json", "--data", data])).stdout)
        .id;
    const first = await make();
    await runHere(["token", "revoke", String(first), "--data", data]);
    assert.ok((await make()) > first);
  });

  test("a name can't break the table", async (t) => {
    const token = { kind: "token", type: "admin", name: "a\nb\u001b[31m", hash: "0".repeat(64) };
    const data = await dataFile(t, [...createWorld().lines, token]);
    const { stdout } = await runHere(["token", "list", "--data", data]);
    assert.ok(stdout.includes("a\\nb\\u001b[31m"), stdout);
  });
});
