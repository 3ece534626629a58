import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { test } from "node:test";
import { checkFile } from "../../src/db/check.ts";
import { dataFile, runCli, startServer } from "../cli/run-cli.ts";
import { openReceiver, until } from "../support/receiver.ts";
import { createWorld, personal } from "../support/world.ts";
import { recordEvents, stateOf } from "./delivered.ts";

const ALLOW = ["--allow-private-targets", "127.0.0.1"];

const worldWith = (url: string) =>
  createWorld().integration({ parameters: { url }, events: ["user-created"] });

test("kill -9 in the middle of 1,000 deliveries loses none and invents none", {
  timeout: 120_000,
}, async (t) => {
  const receiver = await openReceiver(t);
  const data = await dataFile(t, worldWith(receiver.url).lines);
  recordEvents(data, 1000);
  for (const enough of [150, 400, 700]) {
    const { child, ended } = await startServer(t, ["serve", "--data", data, ...ALLOW]);
    await receiver.has(enough);
    child.kill("SIGKILL");
    await ended;
  }
  const { stop } = await startServer(t, ["serve", "--data", data, ...ALLOW]);
  const ids = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).id as number));
  await until(() => ids().size >= 1000, "all of them", 60_000);
  assert.equal((await stop()).code, 0);
  const { waiting, events, succeeded } = stateOf(data);
  assert.equal(waiting, 0);
  assert.equal(events.length, 1000);
  assert.deepEqual([...new Set(succeeded)], events, "each is in the log");
  assert.ok(succeeded.length <= receiver.received.length, "and no more than arrived");
  assert.deepEqual(
    [...ids()].toSorted((a, b) => a - b),
    events,
    "each was delivered, and nothing else",
  );
  assert.ok(receiver.received.length < 1500, `${receiver.received.length} arrived, some of them twice`);
  assert.deepEqual(
    checkFile(data).filter(({ problem }) => problem !== undefined),
    [],
  );
});

test("events arrive in order, even if some are repeated after a kill", { timeout: 60_000 }, async (t) => {
  const receiver = await openReceiver(t);
  const data = await dataFile(t, worldWith(receiver.url).lines);
  recordEvents(data, 300);
  const first = await startServer(t, ["serve", "--data", data, ...ALLOW]);
  await receiver.has(100);
  first.child.kill("SIGKILL");
  await first.ended;
  const { stop } = await startServer(t, ["serve", "--data", data, ...ALLOW]);
  await until(() => receiver.received.at(-1)?.body.includes('"index":299'), "the last", 30_000);
  await stop();
  const indexes = receiver.received.map(({ body }) => JSON.parse(body).data.index as number);
  const steps = indexes.slice(1).map((index, at) => index - indexes[at]!);
  assert.equal(steps.filter((step) => step !== 1).length <= 1, true, "one step back, at the restart");
});

test("a second server on the file is refused, and delivers nothing", async (t) => {
  const receiver = await openReceiver(t);
  const data = await dataFile(t, worldWith(receiver.url).lines);
  await startServer(t, ["serve", "--data", data, ...ALLOW]);
  assert.equal((await runCli(["serve", "--port", "0", "--data", data, ...ALLOW])).code, 3);
  await runCli(["user", "create", "one", "--data", data]);
  await receiver.has(1);
  assert.equal(receiver.received.length, 1);
});

/** Runs in a network namespace with only a loopback interface; undefined if we may not create one. */
function inNamespace(script: string) {
  const result = spawnSync("unshare", ["--net", "--map-root-user", "sh", "-c", script], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return result.error || /unshare/.test(result.stderr) ? undefined : result;
}

test("without a network, everything but deliveries works", { timeout: 90_000 }, async (t) => {
  const data = await dataFile(
    t,
    createWorld().integration({ parameters: { url: "https://93.184.215.14/" }, events: ["tag-type-created"] })
      .lines,
  );
  const node = `${process.execPath} --import ./scripts/preload.mjs src/main.ts`;
  const ask = `curl -sS -H 'Authorization: ${personal(1)}' -H 'Content-Type: application/json'`;
  const result = inNamespace(`
    ip link set lo up || exit 99
    ${node} serve --port 4299 --data ${data} 2>&1 & server=$!
    for i in $(seq 100); do curl -sf http://127.0.0.1:4299/ready > /dev/null && break; sleep 0.1; done
    ${ask} -w '<%{http_code}>' -d '{"name":"colour"}' http://127.0.0.1:4299/api/admin/tag-types
    ${ask} -w '<%{http_code}>' http://127.0.0.1:4299/api/admin/events
    for i in $(seq 50); do ${ask} http://127.0.0.1:4299/api/admin/addons/1/events | grep -q ENETUNREACH && break; sleep 0.1; done
    ${ask} http://127.0.0.1:4299/api/admin/addons/1/events
    kill $server; wait $server; echo "<ended $?>"`);
  if (!result || result.status === 99) return t.skip("needs to make a network namespace");
  assert.match(result.stdout, /<201>/, result.stdout + result.stderr);
  assert.match(result.stdout, /<200>/);
  assert.match(result.stdout, /failed with status code: ENETUNREACH/);
  assert.match(result.stdout, /<ended 0>/);
});

test("only deliveries open sockets to other hosts", { timeout: 90_000 }, async (t) => {
  if (spawnSync("strace", ["-V"]).error) return t.skip("needs strace");
  const data = await dataFile(t, createWorld().lines);
  const script = `
    strace -f -qq -e trace=connect,sendto -o ${data}.trace ${process.execPath} --import ./scripts/preload.mjs \
      src/main.ts serve --port 4298 --data ${data} > /dev/null 2>&1 & server=$!
    for i in $(seq 300); do curl -sf http://127.0.0.1:4298/ready > /dev/null && break; sleep 0.1; done
    curl -s -H 'Authorization: ${personal(1)}' http://127.0.0.1:4298/api/admin/events > /dev/null
    sleep 1; pkill -TERM -P $server; wait $server; grep -E 'AF_INET6?' ${data}.trace | grep -v '127.0.0.1' | grep -v '"::1"'; true`;
  const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 80_000 });
  assert.equal(stdout, "");
  assert.match(fs.readFileSync(`${data}.trace`, "utf8"), /connect\(.*127\.0\.0\.1/, "its own, when it stops");
});
