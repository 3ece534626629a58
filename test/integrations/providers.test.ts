import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import zlib from "node:zlib";
import { createClock, openDelivering } from "../support/delivering.ts";
import { openReceiver, until } from "../support/receiver.ts";

type Options = Parameters<typeof openDelivering>[1];

/** What an integration of this provider sends for a new flag, and the record of it. */
async function sent(t: TestContext, provider: string, parameters: object, options: Options = {}) {
  const { integrate, addFlag, recorded } = await openDelivering(t, options);
  const { status, body } = await integrate(parameters, { provider });
  assert.equal(status, 201, JSON.stringify(body));
  await addFlag("f");
  const [record] = await recorded(1);
  return record!;
}

const LINK = "https://flags.example/projects/a/features/f";
const MARKDOWN = `*admin* created the flag *[f](${LINK})* in the project *[a](https://flags.example/projects/a)*`;
const SLACK = `*admin* created the flag *<${LINK}|f>* in the project *<https://flags.example/projects/a|a>*`;

test("Slack gets a message for its default channel, with a button", async (t) => {
  const receiver = await openReceiver(t);
  const record = await sent(t, "slack", { url: receiver.url, defaultChannel: "general" });
  const body = JSON.parse(receiver.received[0]!.body);
  assert.deepEqual([body.username, body.icon_emoji, body.channel], ["Unleash", ":unleash:", "#general"]);
  assert.equal(body.text, SLACK);
  assert.equal(body.attachments[0].actions[0].url, LINK);
  assert.equal(record.stateDetails, "All (1) Slack webhook requests were successful with status codes: 200.");
  const { url, channels, username, message } = record.details;
  assert.deepEqual([channels, username, message], [["general"], "Unleash", SLACK]);
  assert.match(String(url), /\*\*\*\*\*$/);
});

/** Tags a flag so that two channels are notified of the next event; the clock stands still. */
async function tagged(t: TestContext, answer: (channel: string) => number, provider = "slack") {
  const receiver = await openReceiver(t, (_, response) => {
    const { channel } = JSON.parse(receiver.received.at(-1)!.body);
    response.writeHead(answer(channel), { "retry-after": "3" }).end('{"ok":true}');
  });
  const clock = createClock();
  const { integrate, addFlag, request, recorded, waiting } = await openDelivering(t, {
    clock,
    slackApi: receiver.url,
  });
  await addFlag("f");
  const parameters = { slack: { url: receiver.url, defaultChannel: "x" }, "slack-app": { accessToken: "x" } };
  await integrate(parameters[provider as "slack"], { provider, events: ["feature-archived"] });
  for (const value of ["one", "two"])
    await request("/api/admin/features/f/tags", { method: "POST", body: { type: "slack", value } });
  await request("/api/admin/projects/a/features/f", { method: "DELETE" });
  const [record] = await recorded(1);
  const channels = () => receiver.received.map(({ body }) => JSON.parse(body).channel as string);
  return { record: record!, channels, clock, recorded, request, waiting };
}

test("Slack notifies each channel named by the flag's tags", async (t) => {
  const { channels, record } = await tagged(t, () => 200);
  assert.deepEqual(channels().toSorted(), ["#one", "#two"]);
  assert.equal(
    record.stateDetails,
    "All (2) Slack webhook requests were successful with status codes: 200, 200.",
  );
});

for (const [provider, first, second] of [
  [
    "slack",
    "Some (1 of 2) Slack webhook requests failed. Status codes: 200, 429.",
    "All (1) Slack webhook requests were successful with status codes: 200.",
  ],
  [
    "slack-app",
    "Some (1 of 2) Slack client calls failed. Errors: 429",
    "All (1) Slack client calls were successful.",
  ],
] as const)
  test(`if one channel fails, ${provider} says so, and retries only that one`, async (t) => {
    let status = 429;
    const answer = (channel: string) => (channel === "#two" ? status : 200);
    const { channels, clock, record, recorded, waiting } = await tagged(t, answer, provider);
    assert.deepEqual([record.state, record.stateDetails], ["successWithErrors", first]);
    assert.deepEqual([record.details.retryAt, waiting()], ["2030-01-01T00:00:03.000Z", 1]);
    status = 200;
    await until(() => clock.waits().length > 0, "another attempt to be planned");
    clock.move(3000);
    const [again] = await recorded(2);
    assert.deepEqual([again!.state, again!.stateDetails], ["success", second]);
    assert.deepEqual(again!.details.channels, ["two"]);
    assert.deepEqual([channels().toSorted(), waiting()], [["#one", "#two", "#two"], 0]);
  });

test("a redelivery while one channel is pending goes to that channel", async (t) => {
  let status = 500;
  const answer = (channel: string) => (channel === "#two" ? status : 200);
  const { channels, record, recorded, request } = await tagged(t, answer);
  status = 200;
  const url = `/api/admin/addons/1/events/${record.id}/redeliver`;
  assert.equal((await request(url, { method: "POST" })).status, 202);
  await recorded(2);
  assert.deepEqual(channels().toSorted(), ["#one", "#two", "#two"]);
});

test("if all channels fail, those with a chance of success are retried", async (t) => {
  const { channels, clock, record, recorded } = await tagged(t, (channel) =>
    channel === "#one" ? 404 : 429,
  );
  assert.match(
    record.stateDetails,
    /^All \(2\) Slack webhook requests failed with status codes: 404, 429\.$/,
  );
  await until(() => clock.waits().length > 0, "another attempt to be planned");
  clock.move(3000);
  await recorded(2);
  assert.deepEqual(channels().toSorted(), ["#one", "#two", "#two"]);
});

/** A fake of Slack's Web API. */
const slackApi = async (t: TestContext, answer: object) => {
  const receiver = await openReceiver(t, (_, response) => response.end(JSON.stringify(answer)));
  return { receiver, options: { slackApi: receiver.url } };
};

test("the Slack app uses Slack's Web API", async (t) => {
  const { receiver, options } = await slackApi(t, { ok: true });
  const parameters = { accessToken: "xoxb-hush", defaultChannels: "general, #random" };
  const record = await sent(t, "slack-app", parameters, options);
  const [one, two] = receiver.received;
  assert.equal(one!.path, "/hook/chat.postMessage");
  assert.equal(one!.headers.authorization, "Bearer xoxb-hush");
  assert.deepEqual([one, two].map((post) => JSON.parse(post!.body).channel).toSorted(), [
    "#general",
    "#random",
  ]);
  assert.equal(record.stateDetails, "All (2) Slack client calls were successful.");
  assert.doesNotMatch(JSON.stringify(record), /hush/);
});

test("an error that Slack's Web API returns with a 200 is a failure", async (t) => {
  const { options } = await slackApi(t, { ok: false, error: "channel_not_found" });
  const record = await sent(t, "slack-app", { accessToken: "x", defaultChannels: "general" }, options);
  assert.equal(record.state, "failed");
  assert.equal(
    record.stateDetails,
    "All (1) Slack client calls failed with the following errors: channel_not_found",
  );
  assert.equal(record.details.retryAt, undefined);
});

test("without a channel, the Slack app has nothing to do", async (t) => {
  const record = await sent(t, "slack-app", { accessToken: "x" });
  assert.deepEqual(
    [record.state, record.stateDetails],
    ["failed", "No Slack channels found for event feature-created."],
  );
});

test("Teams gets a card", async (t) => {
  const receiver = await openReceiver(t);
  const record = await sent(t, "teams", { url: receiver.url });
  const body = JSON.parse(receiver.received[0]!.body);
  assert.equal(body.themeColor, "0076D7");
  assert.equal(body.sections[0].activityTitle, MARKDOWN);
  assert.deepEqual(body.sections[0].facts, [
    { name: "User", value: "admin" },
    { name: "Action", value: "feature-created" },
  ]);
  assert.equal(body.potentialAction[0].targets[0].uri, LINK);
  assert.equal(record.stateDetails, "Teams webhook request was successful with status code: 200.");
  assert.deepEqual(record.details.body, body);
});

test("Datadog gets an event, or the text of a template", async (t) => {
  const receiver = await openReceiver(t, 202);
  const parameters = { url: receiver.url, apiKey: "hush", sourceTypeName: "own" };
  const record = await sent(t, "datadog", parameters);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  assert.equal(headers["dd-api-key"], "hush");
  assert.deepEqual(JSON.parse(body), {
    text: `%%% \n ${MARKDOWN} \n %%% `,
    title: "Unleash notification update",
    tags: [],
    source_type_name: "own",
  });
  assert.equal(record.stateDetails, "Datadog Events API request was successful with status code: 202.");
  assert.doesNotMatch(JSON.stringify(record), /hush/);
  await sent(t, "datadog", { ...parameters, bodyTemplate: "{{event.type}}" });
  assert.equal(JSON.parse(receiver.received[1]!.body).text, "feature-created");
});

test("New Relic gets a flat event, compressed", async (t) => {
  const bodies: Buffer[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks));
    response.writeHead(200).end();
    assert.equal(request.headers["api-key"], "hush");
    assert.equal(request.headers["content-encoding"], "gzip");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as { port: number };
  const record = await sent(t, "new-relic", { url: `http://127.0.0.1:${port}/`, licenseKey: "hush" });
  const event = JSON.parse(zlib.gunzipSync(bodies[0]!).toString());
  assert.equal(event.eventType, "UnleashServiceEvent");
  assert.equal(event.unleashEventType, "feature-created");
  assert.equal(event.featureName, "f");
  assert.equal(event.createdByUserId, 1);
  assert.equal(event.name, "f", "including the event's data");
  assert.equal(record.stateDetails, "New Relic Events API request was successful with status code: 200.");
  assert.doesNotMatch(JSON.stringify(record), /hush/);
});

const folderOf = (t: TestContext) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-file-"));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
};

test("a file gets a line per event, readable only by its owner", async (t) => {
  const folder = path.join(folderOf(t), "made");
  const record = await sent(t, "file", { file: "changes" }, { folder });
  const file = path.join(folder, "changes.jsonl");
  const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).featureName),
    ["f"],
  );
  assert.match(JSON.parse(lines[0]!).head, /^\d+:[0-9a-f]{64}$/);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(
    [record.state, record.stateDetails],
    ["success", "The event was appended to changes.jsonl."],
  );
});

test("a truncated line, as after a power cut, does not corrupt the next one", async (t) => {
  const folder = folderOf(t);
  fs.writeFileSync(path.join(folder, "log.jsonl"), '{"id":1}\n{"id":');
  await sent(t, "file", { file: "log" }, { folder });
  const [first, cut, line, end] = fs.readFileSync(path.join(folder, "log.jsonl"), "utf8").split("\n");
  assert.deepEqual([first, cut, end], ['{"id":1}', '{"id":', ""]);
  assert.equal(JSON.parse(line!).featureName, "f");
});

test("a full file is rotated, and the oldest are deleted", async (t) => {
  const folder = folderOf(t);
  const at = (name: string) => path.join(folder, name);
  fs.writeFileSync(at("changes.jsonl"), Buffer.alloc(10 * 1024 * 1024));
  for (const number of [1, 2, 3, 4, 5]) fs.writeFileSync(at(`changes.${number}.jsonl`), String(number));
  await sent(t, "file", { file: "changes" }, { folder });
  assert.equal(fs.statSync(at("changes.1.jsonl")).size, 10 * 1024 * 1024);
  assert.deepEqual(
    [2, 3, 4, 5].map((number) => fs.readFileSync(at(`changes.${number}.jsonl`), "utf8")),
    ["1", "2", "3", "4"],
  );
  assert.match(fs.readFileSync(at("changes.jsonl"), "utf8"), /^\{"id":/);
});

test("an invalid folder is retried; without a folder there is nothing to retry", async (t) => {
  const folder = path.join(folderOf(t), "a-file");
  fs.writeFileSync(folder, "");
  const one = await sent(t, "file", { file: "changes" }, { folder });
  assert.match(one.stateDetails, /could not be appended to changes\.jsonl: E/);
  assert.ok(one.details.retryAt);
  const other = await sent(t, "file", { file: "changes" });
  assert.match(other.stateDetails, /--delivery-folder/);
  assert.equal(other.details.retryAt, undefined);
});

test("an unknown provider fails, without a retry", async (t) => {
  const { addFlag, recorded } = await openDelivering(t, {
    given: (w) => w.integration({ provider: "pigeon", events: ["feature-created"] }),
  });
  await addFlag("f");
  const [record] = await recorded(1);
  assert.deepEqual([record!.state, record!.stateDetails], ["failed", "There is no provider pigeon."]);
});

test("a proxy is used, except for exempt hosts", async (t) => {
  const proxy = await openReceiver(t);
  const receiver = await openReceiver(t);
  const env = { HTTP_PROXY: new URL(proxy.url).origin };
  await sent(t, "webhook", { url: "http://hooks.example/x" }, { env });
  assert.equal(proxy.received[0]!.path, "http://hooks.example/x");
  await sent(t, "webhook", { url: receiver.url }, { env: { ...env, NO_PROXY: "127.0.0.1" } });
  assert.deepEqual([proxy.received.length, receiver.received.length], [1, 1]);
});
