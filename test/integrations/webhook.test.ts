import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import { headOf } from "../../src/events/chain.ts";
import { EVENTS, openDelivering } from "../support/delivering.ts";
import { openReceiver } from "../support/receiver.ts";

test("an event is posted unchanged, and the attempt is recorded", async (t) => {
  const receiver = await openReceiver(t);
  const { db, integrate, addFlag, recorded, waiting } = await openDelivering(t);
  await integrate({ url: receiver.url });
  await addFlag("f");
  const [record] = await recorded(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  const sent = JSON.parse(body);
  assert.deepEqual(Object.keys(sent), [
    "id",
    "createdAt",
    "type",
    "createdBy",
    "createdByUserId",
    "environment",
    "project",
    "featureName",
    "data",
    "preData",
    "tags",
  ]);
  assert.equal(sent.featureName, "f");
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["webhook-id"], `1-${sent.id}`);
  assert.equal(headers["webhook-signature"], undefined);
  const [id, hash] = String(headers["flagstone-head"]).split(":");
  assert.deepEqual({ id: Number(id), hash }, headOf(db));
  assert.equal(record!.state, "success");
  assert.equal(record!.stateDetails, "Webhook request was successful with status code: 200.");
  const { durationMs, url, ...details } = record!.details;
  assert.equal(typeof durationMs, "number");
  assert.equal(url, `${new URL(receiver.url).origin}/*****`);
  assert.deepEqual(details, { contentType: "application/json", body: sent, status: 200, attempt: 1 });
  assert.equal(record!.event.id, sent.id);
  assert.equal(waiting(), 0);
});

test("secrets are decrypted once until they change, which the next event shows", async (t) => {
  const receiver = await openReceiver(t);
  const { request, integrate, addFlag, recorded } = await openDelivering(t);
  const decrypting = t.mock.method(crypto, "createDecipheriv");
  await integrate({ url: receiver.url, authorization: "first" });
  await addFlag("f");
  await recorded(1);
  const calls = decrypting.mock.callCount();
  await addFlag("g");
  await recorded(2);
  assert.equal(decrypting.mock.callCount(), calls);
  const changed = { url: receiver.url, authorization: "second" };
  const body = { provider: "webhook", enabled: true, parameters: changed, events: EVENTS };
  await request("/api/admin/addons/1", { method: "PUT", body });
  await addFlag("h");
  await recorded(3);
  assert.ok(decrypting.mock.callCount() > calls);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers.authorization),
    ["first", "first", "second"],
  );
});

test("headers, content type and template are configurable", async (t) => {
  const receiver = await openReceiver(t, 202);
  const { integrate, addFlag, recorded } = await openDelivering(t);
  await integrate({
    url: receiver.url,
    contentType: "application/vnd.own+json",
    authorization: "Basic aHVzaA==",
    customHeaders: `{"X-Own":"1","Content-Length":"3"}`,
    bodyTemplate: `{"who":"{{event.createdBy}}","what":{{{eventJson}}},"text":"{{eventMarkdown}}"}`,
  });
  await addFlag("f");
  const [record] = await recorded(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  assert.equal(headers["content-type"], "application/vnd.own+json");
  assert.equal(headers.authorization, "Basic aHVzaA==");
  assert.equal(headers["x-own"], "1");
  const { who, what, text } = JSON.parse(body);
  assert.equal(who, "admin");
  assert.equal(JSON.parse(what).featureName, "f");
  assert.match(
    text,
    /^\*admin\* created the flag \*\[f\]\(https:\/\/flags\.example\/projects\/a\/features\/f\)\*/,
  );
  assert.equal(record!.details.body, body);
  assert.doesNotMatch(JSON.stringify(record), /aHVzaA|X-Own/);
});

test("a value in a template can't break out of its JSON string", async (t) => {
  const receiver = await openReceiver(t);
  const { integrate, request, recorded } = await openDelivering(t);
  await integrate({ url: receiver.url, bodyTemplate: `{"text":"{{event.data.description}}"}` });
  const description = `"},"x":"\n\\`;
  await request("/api/admin/projects/a/features", { method: "POST", body: { name: "f", description } });
  await recorded(1);
  assert.deepEqual(JSON.parse(receiver.received[0]!.body), { text: description });
});

for (const provider of ["webhook", "datadog", "new-relic"])
  test(`${provider}: an event whose template takes too much has failed, and other deliveries go on`, async (t) => {
    const receiver = await openReceiver(t);
    const [open, close] = ["{{#values}}", "{{/values}}"].map((tag) => tag.repeat(6));
    const bodyTemplate = `{{#event.data.constraints}}${open}${close}{{/event.data.constraints}}`;
    const events = ["segment-created"];
    const { request, recorded, waiting } = await openDelivering(t, {
      given: (w) => w.integration({ provider, parameters: { url: receiver.url, bodyTemplate }, events }),
    });
    const other = { provider: "webhook", enabled: true, parameters: { url: receiver.url }, events };
    await request("/api/admin/addons", { method: "POST", body: other });
    const values = Array.from({ length: 300 }, (_, index) => `v${index}`);
    const constraints = [{ contextName: "userId", operator: "IN", values }];
    await request("/api/admin/segments", { method: "POST", body: { name: "s", constraints } });
    await recorded(1, 2);
    const [record] = await recorded(1);
    assert.equal(record!.state, "failed");
    assert.equal(record!.stateDetails, "The body template must not take more than 100000 steps for an event");
    assert.deepEqual([record!.details.retryAt, waiting(), receiver.received.length], [undefined, 0, 1]);
  });

test("invalid JSON in the headers is ignored and reported", async (t) => {
  const receiver = await openReceiver(t);
  const { integrate, addFlag, recorded } = await openDelivering(t);
  await integrate({ url: receiver.url, customHeaders: "{" });
  await addFlag("f");
  const [record] = await recorded(1);
  assert.equal(record!.state, "successWithErrors");
  assert.equal(
    record!.stateDetails,
    "Could not parse the JSON in the customHeaders parameter.\nWebhook request was successful with status code: 200.",
  );
});

test("with two secrets, each signs, as in Standard Webhooks", async (t) => {
  const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer];
  const whsec = (key: Buffer) => `whsec_${key.toString("base64")}`;
  const receiver = await openReceiver(t);
  const { integrate, addFlag, recorded } = await openDelivering(t);
  await integrate({ url: receiver.url, signingSecret: whsec(one), previousSigningSecret: whsec(two) });
  await addFlag("f");
  await recorded(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = [one, two].map(
    (key) => `v1,${crypto.createHmac("sha256", key).update(content).digest("base64")}`,
  );
  assert.equal(headers["webhook-signature"], expected.join(" "));
  assert.ok(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000) < 60);
});
