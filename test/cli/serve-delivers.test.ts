import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openReceiver } from "../support/receiver.ts";
import { createWorld, personal } from "../support/world.ts";
import { dataFile, runHere, serveHere, temporaryFolder } from "./run-cli.ts";

const ALLOW = ["--allow-private-targets", "127.0.0.1"];

const worldWith = (url: string) =>
  createWorld().integration({ provider: "webhook", parameters: { url }, events: ["user-created"] });

test("the server delivers events that a command recorded, and those queued before it started", async (t) => {
  const receiver = await openReceiver(t);
  const data = await dataFile(t, worldWith(receiver.url).lines);
  const create = (name: string) => runHere(["user", "create", name, "--data", data]);
  assert.equal((await create("before")).code, 0);
  const { stop } = await serveHere(t, ["serve", "--data", data, ...ALLOW]);
  await receiver.has(1);
  assert.equal((await create("after")).code, 0);
  await receiver.has(2);
  const names = receiver.received.map(({ body }) => JSON.parse(body).data.username);
  assert.deepEqual(names, ["before", "after"]);
  await stop();
});

test("an event in the queue for which a template can't be rendered is recorded as failed at the start", async (t) => {
  const receiver = await openReceiver(t);
  const [url, events] = [receiver.url, ["user-created"]];
  const bodyTemplate = `${"{{#event}}".repeat(700)}${"{{/event}}".repeat(700)}`;
  const { lines } = createWorld()
    .integration({ parameters: { url, bodyTemplate }, events })
    .integration({ parameters: { url }, events });
  const data = await dataFile(t, lines);
  await runHere(["user", "create", "somebody", "--data", data]);
  const { stop } = await serveHere(t, ["serve", "--data", data, ...ALLOW]);
  await receiver.has(1);
  assert.equal((await stop()).code, 0);
  assert.match(
    (await runHere(["export", "--data", data])).stdout,
    /The body template must not take more than/,
  );
});

test("a server can stop while a receiver is not responding, and delivers at its next start", async (t) => {
  const receiver = await openReceiver(t, () => {});
  const data = await dataFile(t, worldWith(receiver.url).lines);
  await runHere(["user", "create", "somebody", "--data", data]);
  const first = await serveHere(t, ["serve", "--data", data, ...ALLOW]);
  await receiver.has(1);
  assert.equal((await first.stop()).code, 0);
  receiver.answer = 200;
  const second = await serveHere(t, ["serve", "--data", data, ...ALLOW]);
  await receiver.has(2);
  const { stop, url } = second;
  const reply = await fetch(`${url}/api/admin/addons/1/events`, { headers: { authorization: personal(1) } });
  const { integrationEvents } = (await reply.json()) as { integrationEvents: unknown[] };
  assert.ok(integrationEvents.length <= 1, "an interrupted attempt does not count");
  await stop();
});

test("an import, a server and an export share the operator's key", async (t) => {
  const data = path.join(temporaryFolder(t), "flags.db");
  const key = `${data}.own-key`;
  fs.writeFileSync(key, `${Buffer.alloc(32, 7).toString("base64")}\n`);
  const env = { FLAGSTONE_SECRET_KEY_FILE: key };
  const input = `${worldWith("https://hooks.example/hush")
    .lines.map((line) => JSON.stringify(line))
    .join("\n")}\n`;
  assert.equal((await runHere(["import", "-", "--data", data], { env, input })).code, 0);
  const { stop, url } = await serveHere(t, ["serve", "--data", data], { env });
  const reply = await fetch(`${url}/api/admin/addons/1`, { headers: { authorization: personal(1) } });
  assert.equal(((await reply.json()) as { parameters: { url: string } }).parameters.url, "*****");
  await stop();
  assert.match(
    (await runHere(["export", "--with-secrets", "--data", data], { env })).stdout,
    /example\/hush/,
  );
  assert.ok(!fs.existsSync(`${data}.key`));
  const without = await runHere(["export", "--with-secrets", "--data", data]);
  assert.match(without.stderr, /^flagstone: The key \w+ is missing/);
  assert.equal(without.code, 3);
  assert.ok(!fs.readFileSync(data).includes("example/hush"));
});
