import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { runHere, serveHere, temporaryFolder } from "../cli/run-cli.ts";
import { openServer } from "../support/server.ts";
import { personal } from "../support/world.ts";
import { company, HEADER, toText } from "../transfer/examples.ts";
import { dumpOf, TABLES } from "./dumps.ts";
import { openSource } from "./source.ts";

const SECRET = "*:*.the-first-administrator";

/** A server with a file of its own, and nothing but its first administrator. */
async function openNew(t: TestContext) {
  const data = path.join(temporaryFolder(t), "flags.db");
  const { url } = await serveHere(t, ["serve", "--no-ui", "--data", data], {
    env: { FLAGSTONE_ADMIN_TOKEN: SECRET },
  });
  const send = (where: string, body: string | Buffer | AsyncIterable<Buffer>, options: RequestInit = {}) =>
    fetch(`${url}/api/admin/import${where}`, {
      method: "POST",
      headers: { authorization: SECRET, "content-type": "application/octet-stream" },
      body: body as string,
      duplex: "half",
      ...options,
    } as RequestInit);
  // biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
  const last = async (response: Response): Promise<any> => {
    assert.equal(response.status, 200);
    return JSON.parse((await response.text()).trimEnd().split("\n").at(-1)!);
  };
  const flags = async () => (await runHere(["flag", "list", "--data", data, "--json"])).stdout;
  return { url, data, send, last, flags };
}

const NOTHING = { count: 0, first: [] };

test("a dataset is tried, and then imported", async (t) => {
  const { send, last, flags } = await openNew(t);
  const lines = toText([HEADER, { kind: "tagType", name: "team" }]);
  const trial = await last(await send("?dryRun=true", lines));
  assert.deepEqual(trial, { counts: { tagType: 1 }, problems: NOTHING, warnings: NOTHING, leftOut: [] });
  assert.deepEqual((await last(await send("?dryRun=true", lines))).problems, NOTHING, "nothing was stored");
  assert.deepEqual((await last(await send("", gzipSync(lines)))).counts, { tagType: 1 });
  const { problems } = await last(await send("", lines));
  assert.match(problems.first[0].message, /^tagType: already exists: name "team"/);
  assert.equal(await flags(), "[]\n");
});

test("an Unleash's dump replaces everything, its administrator included", async (t) => {
  const { url, data, send, last, flags } = await openNew(t);
  const dump = dumpOf({
    ...TABLES,
    api_tokens: [{ secret: "*:*.theirs", username: "ci", type: "admin", created_at: "2026-01-01" }],
  });
  const added = await last(await send("?dryRun=true", dump));
  assert.ok(added.problems.count > 0, "the first administrator is in the way");
  const { counts, leftOut, problems } = await last(await send("?replace=true", gzipSync(dump)));
  assert.deepEqual([counts.feature, problems.count], [1, 0]);
  assert.deepEqual(leftOut, [{ table: "roles", rows: 1, reason: "built in here too" }]);
  assert.match(await flags(), /"cart"/);
  assert.equal((await send("", dump)).status, 401, "the token of before is gone");
  const headers = { authorization: "*:*.theirs" };
  assert.equal((await fetch(`${url}/api/admin/projects`, { headers })).status, 200);
  assert.deepEqual(
    fs.readdirSync(path.dirname(data)).filter((name) => /unfinished|pull/.test(name)),
    [],
  );
});

test("what is wrong is a problem with its place, and stores nothing", async (t) => {
  const { send, last, flags } = await openNew(t);
  const dump = dumpOf(TABLES);
  const cut = await last(await send("?replace=true", dump.slice(0, dump.indexOf("\tflexibleRollout"))));
  assert.deepEqual(cut.problems, {
    count: 1,
    first: [{ table: "feature_strategies", row: 1, message: "the dump ends here: it was cut short" }],
  });
  const other = await last(await send("", "hello"));
  assert.match(other.problems.first[0].message, /not a plain dump of PostgreSQL/);
  assert.equal(await flags(), "[]\n");
});

test("of two at once, one is refused", async (t) => {
  const { send, last } = await openNew(t);
  const lines = toText([HEADER, { kind: "tagType", name: "team" }]);
  const both = await Promise.all([send("", lines), send("", lines)]);
  const [done, refused] = both.sort((a, b) => a.status - b.status);
  assert.deepEqual((await last(done!)).counts, { tagType: 1 });
  assert.equal(refused!.status, 409);
});

test("leaving ends it, and the next can begin", async (t) => {
  const { send, last, flags } = await openNew(t);
  const event = {
    kind: "event",
    type: "feature-created",
    createdBy: "ada",
    createdAt: "2026-01-01T00:00:00Z",
  };
  const lines = [...company(), ...Array<object>(30_000).fill(event)];
  const left = new AbortController();
  const response = await send("?replace=true", toText(lines), { signal: left.signal });
  const { value } = await response.body!.getReader().read();
  assert.match(Buffer.from(value!).toString(), /^{"read":\d+}\n/);
  left.abort();
  assert.equal(await flags(), "[]\n");
  assert.deepEqual((await last(await send("", toText([HEADER])))).problems, NOTHING);
});

test("another server is copied", async (t) => {
  const { send, last, flags } = await openNew(t);
  const source = await openSource(t);
  const body = JSON.stringify({ url: `${source.url}/api/admin/`, token: personal(1) });
  const options = { headers: { authorization: SECRET, "content-type": "application/json" } };
  const { counts, leftOut, problems } = await last(await send("/server?replace=true", body, options));
  assert.deepEqual([counts.project, problems.count], [1, 0]);
  assert.ok(leftOut.some(({ what }: { what: string }) => what === "passwords"));
  assert.equal(await flags(), "[]\n");
});

test("a server that can't be reached is a problem", async (t) => {
  const { send, last } = await openNew(t);
  const body = JSON.stringify({ url: "http://127.0.0.1:1", token: "x" });
  const options = { headers: { authorization: SECRET, "content-type": "application/json" } };
  const { problems } = await last(await send("/server", body, options));
  assert.match(problems.first[0].message, /127\.0\.0\.1:1/);
});

test("only an administrator may import, and only into a file", async (t) => {
  const { request } = await openServer(t);
  const call = { method: "POST", body: "x", headers: { "content-type": "application/octet-stream" } };
  assert.equal((await request("/api/admin/import", { ...call, as: personal(2) })).status, 403);
  const { status, body } = await request("/api/admin/import", call);
  assert.deepEqual([status, body.message], [409, "This server has no data file to import into"]);
});
