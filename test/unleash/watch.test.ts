import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { assertRefused, dataFile, linesOf, runHere, serveHere, startHere } from "../cli/run-cli.ts";
import { createWorld, personal } from "../support/world.ts";
import { newFile, openSource, pull } from "./source.ts";

const env = { FLAGSTONE_TOKEN: personal(1) };

const worldOfShop = () =>
  createWorld().project("shop").member("shop", 3).feature("a", "shop").feature("b", "shop");

/** Starts a watch, which ends with the test, and waits until all has been copied. */
async function startWatch(t: TestContext, url: string, file: string) {
  const args = ["pull", "--from", url, "--data", file, "--watch", "--interval", "1"];
  const running = startHere(t, args, { env });
  await running.until("the copy", ({ stdout, stderr }) => /it has came|copied/.test(stdout + stderr));
  return running;
}

/** Serves the copy. */
async function serveCopy(t: TestContext, file: string) {
  const { stdout } = await runHere(["token", "create", "me", "--user", "1", "--json", "--data", file]);
  const { secret } = JSON.parse(stdout);
  const { url, get } = await serveHere(t, ["serve", "--data", file]);
  return { url, secret, get: async (where: string) => (await get(where, secret)).json() };
}

async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (const end = performance.now() + 20_000; ; await setTimeout(20)) {
    const value = await read();
    if (isSo(value) || performance.now() > end) return value;
  }
}

test("what changes there appears in the file and in the server that serves it, and nothing is written there", async (t) => {
  const source = await openSource(t, worldOfShop());
  const file = newFile(t);
  await startWatch(t, source.url, file);
  const local = await serveCopy(t, file);
  const isOn = async () =>
    (await local.get("/projects/shop/features/a")) as { environments: Array<{ enabled: boolean }> };
  assert.equal((await isOn()).environments[0]!.enabled, false);
  source.asked = [];
  await source.request("/api/admin/projects/shop/features/a/environments/development/on", { method: "POST" });
  const { environments } = await eventually(isOn, (flag) => flag.environments[0]!.enabled);
  assert.equal(environments[0]!.enabled, true);
  assert.deepEqual(
    source.asked.filter((one) => !one.startsWith("GET ")),
    [],
  );
  const details = source.asked.flatMap((one) => /features\/(\w)\?variant/.exec(one)?.[1] ?? []);
  assert.deepEqual(details, ["a"], "only what has changed is read again");
});

test("segments, projects and flags come and go; users, tokens and access stay as they are in the file", async (t) => {
  const source = await openSource(t, worldOfShop());
  const file = newFile(t);
  const running = await startWatch(t, source.url, file);
  const before = linesOf(file);
  const body = { name: "Norway", constraints: [{ contextName: "userId", operator: "IN", values: ["1"] }] };
  await source.request("/api/admin/segments", { method: "POST", body });
  await source.request("/api/admin/projects", { method: "POST", body: { id: "web", name: "Web" } });
  await source.request("/api/admin/projects/web/features", { method: "POST", body: { name: "new" } });
  await source.request("/api/admin/projects/shop/features/b", { method: "DELETE" });
  const read = async () => linesOf(file);
  const isThere = (lines: typeof before) =>
    lines.some(({ name }) => name === "new") &&
    lines.find(({ name }) => name === "b")?.archivedAt !== undefined;
  const after = await eventually(read, isThere);
  assert.ok(isThere(after));
  assert.ok(after.some(({ kind, name }) => kind === "segment" && name === "Norway"));
  const kept = ["user", "token", "projectRole", "event"];
  const keptOf = (lines: typeof before) => lines.filter(({ kind }) => kept.includes(kind as string));
  assert.deepEqual(keptOf(after), keptOf(before));
  running.kill("SIGTERM");
  assert.equal((await running.ended).code, 0);
});

test("a watch that was stopped begins with what changed meanwhile, and local changes are overwritten", async (t) => {
  const source = await openSource(t, worldOfShop());
  const file = newFile(t);
  const running = await startWatch(t, source.url, file);
  running.kill("SIGTERM");
  await running.ended;
  const local = await serveCopy(t, file);
  await fetch(`${local.url}/api/admin/projects/shop/features`, {
    method: "POST",
    headers: { authorization: local.secret, "content-type": "application/json" },
    body: JSON.stringify({ name: "local" }),
  });
  assert.ok(linesOf(file).some(({ name }) => name === "local"));
  await source.request("/api/admin/projects/shop/features", { method: "POST", body: { name: "c" } });
  await startWatch(t, source.url, file);
  const flags = linesOf(file).flatMap(({ kind, name }) => (kind === "feature" ? [name] : []));
  assert.deepEqual(flags, ["a", "b", "c"]);
});

test("a server that is away is asked again, with one word about it", async (t) => {
  const source = await openSource(t, worldOfShop());
  const file = newFile(t);
  const running = await startWatch(t, source.url, file);
  source.interfere = (_, response) => Boolean(response.writeHead(401).end());
  await running.until("the warning", ({ stderr }) => /warn .* responded with 401/.test(stderr));
  source.interfere = () => false;
  await source.request("/api/admin/projects/shop/features", { method: "POST", body: { name: "c" } });
  await running.until("the copy", ({ stderr }) => /copied what has changed on/.test(stderr));
  assert.ok(linesOf(file).some(({ name }) => name === "c"));
});

test("a file with other data is not overwritten", async (t) => {
  const source = await openSource(t, worldOfShop());
  const file = await dataFile(t, createWorld().project("mine").lines);
  const message = `${file} already has other data: pull into a new file: --data NEW`;
  assertRefused(await pull(source.url, file, ["--watch"]), 3, message);
});
