import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startUnleash } from "unleash-client";
import { runHere, serveHere, temporaryFolder } from "../cli/run-cli.ts";
import { openUnleash, UNLEASH_VERSIONS, type UnleashVersion, WITHOUT_UNLEASH } from "../support/unleash.ts";
import { fillUnleash, PASSWORD } from "../unleash/unleash-content.ts";

/*
 * What `import --from-unleash` makes of a real one's database.
 */

// biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
type Body = any;

/** The reads that have to agree. */
const READS = [
  "/api/admin/projects/default/features",
  "/api/admin/projects/default/features/cart?variantEnvironments=true",
  "/api/admin/projects/default/features/child?variantEnvironments=true",
  "/api/admin/projects/default/health-report",
  "/api/admin/projects/shop/overview",
  "/api/admin/strategies/byPlan",
  "/api/admin/context",
  "/api/admin/segments",
  "/api/admin/tags",
  "/api/admin/tag-types",
  "/api/admin/user-admin",
  "/api/admin/addons",
  "/api/admin/addons/1/events",
  "/api/admin/events",
  "/api/admin/events?project=default",
  "/api/admin/search/features",
  "/api/admin/metrics/applications",
  "/api/admin/metrics/applications/till",
  "/api/admin/client-metrics/features/cart",
  "/api/admin/client-metrics/features/cart/raw",
];

/** Keys whose values differ, with what docs/migrating.md says of them. */
const DIFFERENT = new Set([
  "imageUrl", // our own pictures
  "inviteLink", // links to set a password are made anew
  "label", // our own words
  "summary",
  "description", // of what is built in, compared below where it is somebody's own
  "howTo",
  "providers",
  "rootRoles",
  "title",
  "documentationUrl",
  "stats", // over whole days
  "health", // with its own rules, and in 8.2 others
  "technicalDebt",
  "lastSeenAt", // 8.2 leaves it out at most places
  "changeRequestIds",
]);

/** An answer as far as it has to agree: the keys that both have, and lists in the order of what identifies their rows. */
function common(value: Body, other: Body): Body {
  if (Array.isArray(value)) {
    const others = sorted(other ?? []);
    return sorted(value).map((one, index) => common(one, others[index]));
  }
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.keys(value).filter((key) => key in (other ?? {}) && !DIFFERENT.has(key));
  return Object.fromEntries(kept.sort().map((key) => [key, common(value[key], other[key])]));
}

const sorted = (list: Body[]) =>
  list.toSorted((a, b) =>
    String(a?.id ?? a?.name).localeCompare(String(b?.id ?? b?.name), "en", { numeric: true }),
  );

for (const version of UNLEASH_VERSIONS)
  test(`an Unleash ${version} moves in whole, and out and in again`, { skip: WITHOUT_UNLEASH }, async (t) => {
    const unleash = await openUnleash(t, version);
    const secret = await fillUnleash(unleash);
    const folder = temporaryFolder(t);
    const [dump, data] = [path.join(folder, "unleash.sql"), path.join(folder, "flags.db")];
    const answers = await answersAt(unleash, () => fs.writeFileSync(dump, unleash.dump()));
    const { code, stderr } = await runHere(["import", "--from-unleash", dump, "--data", data]);
    assert.equal(code, 0, stderr);

    const { url, stop } = await serveHere(t, ["serve", "--no-ui", "--data", data]);
    const ask = async (where: string, authorization = unleash.token): Promise<Body> =>
      (await fetch(`${url}${where}`, { headers: { authorization } })).json();
    for (const where of READS) {
      const [theirs, ours] = [answers.get(where)!, await ask(where)];
      assert.deepEqual(common(ours, theirs), common(theirs, ours), where);
    }
    assert.equal((await ask("/api/admin/user", "user:0123456789abcdef")).user.username, "ada");
    const body = JSON.stringify({ username: "ivy", password: PASSWORD });
    const headers = { "content-type": "application/json" };
    assert.equal((await fetch(`${url}/auth/simple/login`, { method: "POST", headers, body })).status, 200);
    assert.equal(await evaluated(url, secret), "red");

    await stop();
    const first = await linesOf(data);
    await loadInto(t, version, data, dump);
    const again = path.join(folder, "again.db");
    assert.equal((await runHere(["import", "--from-unleash", dump, "--data", again])).code, 0);
    assert.deepEqual(await linesOf(again), first);
  });

/** What Unleash answers when something is done; again, if its own jobs have changed that meanwhile. */
async function answersAt(unleash: Awaited<ReturnType<typeof openUnleash>>, act: () => void) {
  const readAll = async () => {
    const all = new Map<string, Body>();
    for (const where of READS) all.set(where, await unleash.ask("GET", where));
    return all;
  };
  for (let tries = 1; ; tries++) {
    const before = await readAll();
    act();
    if (tries === 5 || isDeepStrictEqual(await readAll(), before)) return before;
  }
}

/** What an SDK makes of the flag `cart`, with nothing but its address changed. */
async function evaluated(url: string, secret: string) {
  const client = await startUnleash({
    url: `${url}/api`,
    appName: "till",
    customHeaders: { Authorization: secret },
    disableMetrics: true,
  });
  const context = { userId: "1", properties: { plan: "Professional, PRO", age: "18" } };
  const { name } = client.getVariant("cart", context);
  client.destroy();
  return name;
}

/** An export without what is lost by moving out and in again. */
async function linesOf(data: string): Promise<string[]> {
  const { stdout } = await runHere(["export", "--data", data, "--with-secrets"]);
  const isKept = (line: string) => !/^{"kind":"(token|invitation)"/.test(line);
  return stdout
    .split("\n")
    .filter(isKept)
    .map((line) => line.replace(/,"passwordHash":"scrypt[^"]*"|,"group(Type|Id)":"[^"]*"/g, ""));
}

/** Moves out into a new Unleash, and writes a dump of it. */
async function loadInto(t: TestContext, version: UnleashVersion, data: string, dump: string) {
  const unleash = await openUnleash(t, version);
  await unleash.stop();
  const sql = `${dump}.out`;
  await runHere(["export", "--as", "unleash", sql, "--data", data, "--with-secrets"]);
  unleash.psql("", ["-1", "-f", sql]);
  fs.writeFileSync(dump, unleash.dump());
}
