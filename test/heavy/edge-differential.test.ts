import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { createRandom, type Random } from "../../src/demo/random.ts";
import { startServer, temporaryFolder } from "../cli/run-cli.ts";
import { until } from "../support/receiver.ts";

const SECONDS = Number(process.env.EDGE_SECONDS ?? 20);

const [ALL, PAGE] = ["*:development.backend-token", "*:development.page-token"];

const SPEC = { "unleash-client-spec": "5.2.0" };

/** What applications ask. */
const QUESTIONS: Question[] = [
  { where: "/api/client/features", token: ALL, headers: SPEC },
  { where: "/api/client/features", token: ALL, headers: {} },
  { where: "/api/frontend?userId=7", token: PAGE, headers: {} },
];

interface Question {
  where: string;
  token: string;
  headers: Record<string, string>;
}

async function ask(url: string, { where, token, headers }: Question) {
  const signal = AbortSignal.timeout(5000);
  const response = await fetch(url + where, { headers: { authorization: token, ...headers }, signal });
  return { status: response.status, age: Number(response.headers.get("age")), text: await response.text() };
}

/** A line to a port, which can be lost and comes back; the port may change. */
async function openLine(t: TestContext, target: { url: string }) {
  const sockets = new Set<net.Socket>();
  const line = { isLost: false, url: "" };
  const server = net.createServer((socket) => {
    if (line.isLost) return void socket.destroy();
    const far = net.connect(Number(new URL(target.url).port), "127.0.0.1");
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      sockets.add(one);
      one
        .on("error", () => {})
        .on("close", () => other.destroy())
        .pipe(other);
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lose = (isLost: boolean) => {
    line.isLost = isLost;
    if (isLost) for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    lose(true);
    server.close();
  });
  return Object.assign(line, { lose });
}

/** An edge in a process of its own, which can be killed. */
async function openEdge(t: TestContext, upstream: string) {
  const snapshot = path.join(temporaryFolder(t), "edge.json");
  const often = ["interval", "token-interval", "timeout"].flatMap((name) => [`--${name}`, "1"]);
  const start = () =>
    startServer(t, ["edge", "--upstream", upstream, "--snapshot", snapshot, ...often], {
      env: { TOKENS: ALL },
    });
  const edge = { ...(await start()), restart: async () => {} };
  edge.restart = async () => {
    edge.child.kill("SIGKILL");
    await edge.ended;
    Object.assign(edge, await start());
  };
  return edge;
}

type Send = (method: string, where: string, body?: object) => Promise<string>;

const FLAGS = ["cart", "search", "merger", "banner", "price", "menu"];

async function prepare(send: Send) {
  for (const [id, mode] of [
    ["shop", "open"],
    ["vault", "private"],
  ])
    await send("POST", "/projects", { id, name: id, mode });
  for (const name of ["staff", "board"]) await send("POST", "/segments", { name, constraints: [] });
  for (const name of FLAGS) await send("POST", "/projects/shop/features", { name });
}

/** Changes something; it doesn't matter what, nor whether it may be. */
async function change(random: Random, send: Send) {
  const flag = random.pick(FLAGS);
  const project = random.pick(["shop", "vault"]);
  const place = `/projects/${project}/features/${flag}/environments/development`;
  const constraints = [{ contextName: "userId", operator: "IN", values: [random.pick(["7", "8"])] }];
  await random.pick([
    () => send("POST", `${place}/${random.pick(["on", "off"])}`),
    () =>
      send("POST", `${place}/strategies`, { name: "default", constraints, segments: [1 + random.below(2)] }),
    () =>
      send("PUT", `/segments/${1 + random.below(2)}`, { name: random.pick(["staff", "crew"]), constraints }),
    () => send("POST", `/projects/shop/features/${flag}/changeProject`, { newProjectId: "vault" }),
    () => send("POST", `/projects/vault/features/${flag}/changeProject`, { newProjectId: "shop" }),
    () => send("DELETE", `/projects/${project}/features/${flag}`),
    () => send("POST", "/archive/revive", { features: [flag] }),
  ])();
}

/** What the server has answered, and until when. */
function createHistory(url: string, questions: readonly Question[]) {
  const answers = new Map<Question, Map<string, number>>(questions.map((question) => [question, new Map()]));
  const noteCurrent = async (until: number) => {
    for (const question of questions) answers.get(question)!.set((await ask(url, question)).text, until);
  };
  return {
    /** Makes a change, before and after which the server is asked. */
    async during(act: () => Promise<unknown>) {
      await act();
      const end = Date.now();
      for (const texts of answers.values())
        for (const [text, until] of texts) if (until === Number.POSITIVE_INFINITY) texts.set(text, end);
      await noteCurrent(Number.POSITIVE_INFINITY);
    },
    /** Asserts that the server has answered that, and not longer ago than is said. @param hops each rounds down */
    require(question: Question, { text, age }: { text: string; age: number }, askedAt: number, hops: number) {
      const until = answers.get(question)!.get(text);
      assert.ok(until !== undefined, `${question.where} of ${question.token} never was ${text}`);
      const late = askedAt - 1000 * (age + hops) - until;
      assert.ok(late <= 0, `edge ${hops}: ${question.where} said to be ${age} s old was ${late} ms older`);
    },
  };
}

/** The unmodified SDK: how it finds each flag. */
async function openSdk(opened: Unleash[], url: string, streams: boolean) {
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: "differential",
    customHeaders: { authorization: ALL },
    refreshInterval: 500,
    disableMetrics: true,
    storageProvider: new InMemStorageProvider(),
    ...(streams && { experimentalMode: { type: "streaming" } }),
  });
  sdk.on("error", () => {}).on("warn", () => {});
  opened.push(sdk);
  await once(sdk, "synchronized");
  return () => FLAGS.map((flag) => ["7", "8"].map((userId) => sdk.isEnabled(flag, { userId }))).join();
}

test("whatever happens to edges and lines, applications get what the server had, no older than said", async (t) => {
  const seed = Number(process.env.EDGE_SEED ?? Date.now() % 1e6);
  t.diagnostic(`EDGE_SEED=${seed}`);
  const random = createRandom(seed);
  const opened: Unleash[] = [];
  t.after(async () => {
    for (const sdk of opened) sdk.destroy(); // before what they ask
    await setTimeout(4000); // for as long they try requests again, which would fail aside, where nobody can wait for it
  });
  const data = path.join(temporaryFolder(t), "flags.db");
  const env = { INIT_CLIENT_API_TOKENS: ALL, INIT_FRONTEND_API_TOKENS: PAGE };
  const server = await startServer(t, ["serve", "--data", data, "--no-ui"], { env });
  const headers = { authorization: server.token!, "content-type": "application/json" };
  const send: Send = async (method, where, body) =>
    (await fetch(`${server.url}/api/admin${where}`, { method, headers, body: JSON.stringify(body) })).text();
  await prepare(send);
  const wanted = { type: "client", tokenName: "shop", environment: "development", projects: ["shop"] };
  const { secret } = JSON.parse(await send("POST", "/api-tokens", wanted));
  const questions = [...QUESTIONS, { where: "/api/client/features", token: secret, headers: SPEC }];
  const history = createHistory(server.url, questions);
  await history.during(async () => {});
  const lines = [await openLine(t, server)];
  const edges = [await openEdge(t, lines[0]!.url)];
  lines.push(await openLine(t, edges[0]!));
  edges.push(await openEdge(t, lines[1]!.url));
  const door = await openLine(t, edges[1]!);
  const sdks = [await openSdk(opened, door.url, false), await openSdk(opened, door.url, true)];
  const direct = await openSdk(opened, server.url, false);
  const counts = { changes: 0, kills: 0, losses: 0, answers: 0, refusals: 0 };

  const checkAll = async () => {
    for (const [index, { url }] of edges.entries())
      for (const question of questions) {
        const askedAt = Date.now();
        const answer = await ask(url, question);
        counts[answer.status === 200 ? "answers" : "refusals"]++;
        if (answer.status === 200) history.require(question, answer, askedAt, index + 1);
        else assert.equal(answer.status, 503);
      }
  };
  const end = Date.now() + 1000 * SECONDS;
  while (Date.now() < end) {
    const chance = random.fraction();
    if (chance < 0.03) {
      await random.pick(edges).restart();
      counts.kills++;
    } else if (chance < 0.2) {
      const line = random.pick(lines);
      line.lose(!line.isLost);
      counts.losses++;
    } else {
      await history.during(() => change(random, send));
      counts.changes++;
    }
    await checkAll();
    if (random.chance(0.2)) await setTimeout(random.below(500));
  }
  for (const line of lines) line.lose(false);
  for (const { url } of edges)
    for (const question of questions)
      await until(async () => {
        const [own, other] = [await ask(server.url, question), await ask(url, question)];
        return other.status === 200 && other.text === own.text;
      }, `the edge to answer as the server: ${question.where}`);
  for (const sdk of sdks) await until(() => sdk() === direct(), "the applications to agree");
  t.diagnostic(JSON.stringify(counts));
});
