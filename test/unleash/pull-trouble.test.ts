import assert from "node:assert/strict";
import fs from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { test } from "node:test";
import { assertRefused, dataFile, endAfter, linesOf, runCli, runHere, startCli } from "../cli/run-cli.ts";
import { createWorld, personal } from "../support/world.ts";
import { newFile, openSource, pull } from "./source.ts";

const FLAGS = ["a", "b", "c", "d", "e"];

const worldOfFlags = () =>
  FLAGS.reduce((world, name) => world.feature(name, "shop"), createWorld().project("shop"));

const flagsIn = (file: string) =>
  linesOf(file).flatMap(({ kind, name }) => (kind === "feature" ? [name] : []));

const end = (response: ServerResponse, status: number, headers = {}, body = '{"message":"not now"}') =>
  void response.writeHead(status, headers).end(body);

/** Responses that a server may recover from. */
const PASSING: Record<string, (response: ServerResponse) => void> = {
  "500": (response) => end(response, 500),
  "429 with Retry-After": (response) => end(response, 429, { "retry-after": "0" }),
  "503 with a date": (response) => end(response, 503, { "retry-after": new Date().toUTCString() }),
  "a closed connection": (response) => void response.destroy(),
  "half an answer": (response) => {
    response.writeHead(200, { "content-length": "1000" }).write('{"version":1,');
    setImmediate(() => response.destroy());
  },
  "an answer packed wrongly": (response) => end(response, 200, { "content-encoding": "gzip" }),
};

for (const [name, misbehave] of Object.entries(PASSING))
  test(`${name}: asks again, and everything comes`, async (t) => {
    const source = await openSource(t, worldOfFlags());
    let times = 0;
    source.interfere = ({ url }, response) => {
      if (!url!.includes("/features/c?") || times++ > 0) return false;
      misbehave(response);
      return true;
    };
    const file = newFile(t);
    const { code, stderr } = await pull(source.url, file);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /warn .*; trying again in 0\.25 s/);
    assert.deepEqual(flagsIn(file), FLAGS);
  });

/** Responses that are of no use, and what the command says about them. */
const FINAL: Array<[name: string, misbehave: (response: ServerResponse) => void, message: RegExp]> = [
  [
    "401",
    (response) => end(response, 401),
    /responded with 401 to \/api\/admin\/\S+: not now; it does not know the token/,
  ],
  [
    "another page",
    (response) => end(response, 200, {}, "<html>"),
    /did not respond with JSON to \S+: is it the address of an Unleash/,
  ],
  [
    "a redirect",
    (response) => end(response, 302, { location: "https://x.example/login" }),
    /it may have moved to https:\/\/x\.example\/login/,
  ],
  ["400", (response) => end(response, 400), /responded with 400 to \S+: not now/],
  [
    "403",
    (response) => end(response, 403, {}, '{"message":"You need READ_PROJECT"}'),
    /responded with 403 to \S+: You need READ_PROJECT/,
  ],
  ["404", (response) => end(response, 404), /responded with 404 to \S+: not now/],
  [
    "the wrong shape",
    (response) => end(response, 200, {}, '{"projects":[7]}'),
    /gave an unexpected answer to \S+: projects\.0 must be an object/,
  ],
];

for (const [name, misbehave, message] of FINAL)
  test(`${name}: nothing is stored, and the message says what to do`, async (t) => {
    const source = await openSource(t);
    source.interfere = ({ url }, response) => {
      if (url !== "/api/admin/projects") return false;
      misbehave(response);
      return true;
    };
    const file = newFile(t);
    const { code, stdout, stderr } = await pull(source.url, file);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, message);
    assert.match(stderr, new RegExp(source.url));
    assert.equal(fs.existsSync(file), false);
  });

const DEEP = `${'{"a":'.repeat(101)}1${"}".repeat(101)}`;

/** Answers with something that can't be stored, and what the command says about it. */
const UNREADABLE: Array<[path: string, body: string, message: RegExp]> = [
  ["tag-types", '{"tagTypes":[{"name":".."}]}', /tag-types: name: must not be \. or \.\./],
  [
    "search/events",
    `{"total":1,"events":[{"id":1,"type":"x","createdBy":"x","createdAt":"2026-01-01T00:00:00Z","data":${DEEP}}]}`,
    /search\/events\S+: data: must not be nested deeper than 100 levels/,
  ],
];

for (const [path, body, message] of UNREADABLE)
  test(`an unreadable part of ${path} is named with its URL, and nothing is stored`, async (t) => {
    const source = await openSource(t);
    source.interfere = ({ url }, response) => {
      if (!url!.startsWith(`/api/admin/${path}`)) return false;
      end(response, 200, {}, body);
      return true;
    };
    const file = newFile(t);
    const result = await pull(source.url, file);
    assert.equal(result.code, 3);
    assert.match(result.stderr, message);
    assert.equal(fs.existsSync(file), false);
  });

test("a token without rights: what it may not see is named with the permission", async (t) => {
  const source = await openSource(t, worldOfFlags());
  const file = newFile(t);
  const { code, stderr, stdout } = await pull(source.url, file, [], personal(3));
  assert.equal(code, 0, stderr);
  assert.match(stderr, /left out: users: .*ADMIN/);
  assert.match(stderr, /left out: API tokens: .*READ_CLIENT_API_TOKEN/);
  assert.match(stdout, /says it has more or less than came: users 0 of 4, apiTokens 0 of \d/);
  assert.deepEqual(flagsIn(file), FLAGS);
});

test("a log that the token may not see is named, and all else comes", async (t) => {
  const source = await openSource(t, worldOfFlags());
  source.interfere = ({ url }, response) => {
    if (!url!.includes("search/events")) return false;
    end(response, 403, {}, '{"message":"You need ADMIN"}');
    return true;
  };
  const file = newFile(t);
  const { code, stderr } = await pull(source.url, file);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /left out: events: You need ADMIN/);
  assert.deepEqual(flagsIn(file), FLAGS);
});

test("an interrupted pull goes on with what it has, and reads again what has changed since", async (t) => {
  const source = await openSource(t, worldOfFlags());
  source.interfere = ({ url }, response) => {
    if (!url!.includes("/features/d?")) return false;
    end(response, 400);
    return true;
  };
  const file = newFile(t);
  const first = await pull(source.url, file, ["--parallel", "1"]);
  assert.equal(first.code, 1);
  assert.match(
    first.stderr,
    /; what was read is kept in \S+flags\.db\.pull: the same command goes on with it$/m,
  );
  assert.equal(fs.statSync(`${file}.pull`).mode & 0o777, 0o700);
  await source.request("/api/admin/projects/shop/features/b/environments/development/on", { method: "POST" });
  source.interfere = () => false;
  source.asked = [];
  const second = await pull(source.url, file);
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stderr, /goes on with \d+ answers in/);
  assert.deepEqual(flagsIn(file), FLAGS);
  const details = source.asked.flatMap((one) => /features\/(\w)\?variant/.exec(one)?.[1] ?? []);
  assert.deepEqual(details, ["b", "d", "e"]);
  const { environments } = linesOf(file).find(({ name }) => name === "b") as {
    environments: Array<{ enabled: boolean }>;
  };
  assert.equal(environments[0]!.enabled, true);
  assert.equal(fs.existsSync(`${file}.pull`), false);
});

for (const signal of ["SIGKILL", "SIGTERM"] as const)
  test(`${signal} at any moment, then again`, async (t) => {
    const source = await openSource(t, worldOfFlags());
    const file = newFile(t);
    const env = { FLAGSTONE_TOKEN: personal(1) };
    const args = ["pull", "--from", source.url, "--data", file, "--parallel", "1"];
    for (const last of ["tag-types", "/features/c?", "search/events"]) {
      const running = startCli(args, { env });
      endAfter(t, running);
      source.interfere = ({ url }) => url!.includes(last) && running.child.kill(signal);
      const { code, stderr } = await running.ended;
      assert.equal(code, signal === "SIGKILL" ? null : 1, stderr);
      assert.equal(fs.existsSync(file), false);
      if (signal === "SIGTERM") assert.match(stderr, /Stopped by SIGTERM; what was read is kept in /);
    }
    source.interfere = () => false;
    assert.equal((await runCli(args, { env })).code, 0);
    assert.deepEqual(flagsIn(file), FLAGS);
    assert.deepEqual(
      fs.readdirSync(path.dirname(file)).sort(),
      ["flags.db", "flags.db.key"].slice(0, fs.readdirSync(path.dirname(file)).length),
    );
  });

test("the answers of another server are not used", async (t) => {
  const [one, other] = [await openSource(t), await openSource(t)];
  const file = newFile(t);
  await pull(one.url, file, ["--dry-run"]);
  const folder = `${file}.pull`;
  const message = `${folder} has what ${one.url} answered, not ${other.url}: remove it, or use another --data`;
  assertRefused(await pull(other.url, file), 3, message);
});

test("answers of days ago are read again, with a word", async (t) => {
  const source = await openSource(t, worldOfFlags());
  const file = newFile(t);
  await pull(source.url, file, ["--dry-run"]);
  const about = `${file}.pull/source.json`;
  const startedAt = new Date(Date.now() - 2 * 86_400_000).toISOString();
  fs.writeFileSync(about, JSON.stringify({ ...JSON.parse(fs.readFileSync(about, "utf8")), startedAt }));
  source.asked = [];
  const { stderr } = await pull(source.url, file);
  assert.match(stderr, /warn .* was read on .*: reading all of it again/);
  assert.equal(source.asked.filter((one) => /features\/\w\?variant/.test(one)).length, FLAGS.length);
});

test("a mistyped project doesn't cost what was read", async (t) => {
  const source = await openSource(t, worldOfFlags());
  const file = newFile(t);
  await pull(source.url, file, ["--dry-run"]);
  const { code, stderr } = await pull(source.url, file, ["--project", "shpo"]);
  assert.equal(code, 3);
  assert.match(stderr, /has no project shpo that the token may see; what was read is kept in/);
});

test("a damaged folder of answers is begun again", async (t) => {
  const source = await openSource(t, worldOfFlags());
  const file = newFile(t);
  await pull(source.url, file, ["--dry-run"]);
  for (const name of fs.readdirSync(`${file}.pull`)) fs.truncateSync(`${file}.pull/${name}`, 3);
  assert.equal((await pull(source.url, file)).code, 0);
  assert.deepEqual(flagsIn(file), FLAGS);
});

test("a project that is on both sides is named", async (t) => {
  const source = await openSource(t, createWorld().project("shop").project("web"));
  const file = await dataFile(t, createWorld().project("web").project("mine").lines);
  const message = `${file} already has the project web, as ${source.url} has: pull into a new file: --data NEW`;
  assertRefused(await pull(source.url, file), 3, message);
  assertRefused(
    await pull(source.url, file, ["--project", "shop"]),
    3,
    `${file} already has other data: pull into a new file: --data NEW`,
  );
});

test("two users who look alike are named with their ids", async (t) => {
  const world = createWorld().user({ username: "ada" }).user({ username: "\u0430d\u0430" });
  const source = await openSource(t, world);
  const file = newFile(t);
  const { code, stderr } = await pull(source.url, file);
  assert.equal(code, 3);
  assert.match(stderr, /The users 5 and 6 of http\S+ look alike \(\S+\): rename or delete one of them there/);
  assert.equal(fs.existsSync(file), false);
});

test("wrong usage", async (t) => {
  const file = newFile(t);
  const url = "http://127.0.0.1:1";
  assertRefused(
    await runHere(["pull", "--data", file]),
    2,
    "pull needs --from URL, the server to read from",
    " pull",
  );
  assertRefused(
    await pull(url, file, ["--watch", "--dry-run"]),
    2,
    "--watch copies what --dry-run doesn't: use one of them",
    " pull",
  );
  assertRefused(
    await pull(url, file, ["--parallel", "0"]),
    2,
    '--parallel: "0" must be a number from 1 to 64',
    " pull",
  );
  assertRefused(await pull("ftp://x", file), 2, 'URL: "ftp://x" must be an http or https URL', " pull");
  const source = await openSource(t);
  assertRefused(
    await pull(source.url, file, ["--project", "nope"]),
    3,
    `${source.url} has no project nope that the token may see`,
  );
});
