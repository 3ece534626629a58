import type { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { CLI } from "../../src/access/actor.ts";
import { close, open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";
import { adminRequest, changeFor, READ } from "./changes.ts";
import type { Context } from "./context.ts";
import { PROJECTS } from "./dataset.ts";
import { many, median, paceOf, table } from "./figures.ts";
import { measure, send } from "./load.ts";
import { messageOf, type Server, startScript, stop, usage } from "./process.ts";
import { now, type Order } from "./receiver.ts";
import { companyOf, serve } from "./version.ts";

/** Length of the queue while changes are measured, and how many deliveries a second the slow receiver takes. */
const QUEUE = 100_000;
const RATE = 500;

/** A server that delivers to a receiver, and the file that it shares with the command line. */
interface Delivering {
  server: Server;
  receiver: ChildProcess;
  file: string;
  seconds: number;
}

/** How much deliveries slow down reads and changes, and how long they lag behind the change. */
export async function run(context: Context) {
  const { options, versions, print, progress } = context;
  const { file } = await companyOf(context, versions[0]!);
  const server = await serve(versions[0]!, file, "--allow-private-targets", "*");
  const { child: receiver, url } = await startScript<{ url: string }>("receiver.ts");
  const all = { server, receiver, file, seconds: Number(options.seconds) };
  const integration = { provider: "webhook", enabled: true, parameters: { url }, events: EVENTS };
  await send(server, adminRequest("PUT", "addons/1", integration));
  const rounds: Round[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    progress(`deliveries, round ${round}`);
    rounds.push(await measureRound(all));
  }
  progress("lag");
  const idle = await measureLag(all, 100);
  const load = measure(server, READ, { connections: 32, seconds: 5 });
  const busy = await measureLag(all, 50);
  await load;
  await Promise.all([server, { child: receiver }].map(stop));
  const of = (figure: keyof Round) => median(rounds.map((round) => round[figure]));
  const lag = (times: number[]) => {
    const { p50, p99 } = paceOf(times);
    return `${p50.toFixed(0)}, ${p99.toFixed(0)}`;
  };
  const rows = [
    ["per second, on an otherwise idle server", many(of("rate")), many(RATE)],
    ["microseconds of CPU time each", many(of("cpu")), ""],
    [`share of a core at ${RATE} per second`, ((of("cpu") * RATE) / 1e6).toFixed(2), "0.20"],
    [
      `per second to a receiver that takes ${RATE}, during 32 readers`,
      many(of("rateDuringReads")),
      many(RATE),
    ],
    ["reads meanwhile, relative to reads alone", of("reads").toFixed(2), "0.80"],
    [`time of a change with ${many(QUEUE)} queued, relative to none`, of("waiting").toFixed(2), "1.20"],
    ["time of a change while these are delivered, relative to none", of("delivered").toFixed(2), "1.20"],
    ["lag after a change by the API, ms, p50 and p99", lag(idle.ofServer), "50"],
    ["lag after a commit by the command line", lag(idle.ofCommand), "50"],
    ["the same during 32 readers, by the API", lag(busy.ofServer), "50"],
    ["the same during 32 readers, by the command line", lag(busy.ofCommand), "50"],
  ];
  print(table(["deliveries to a receiver on the same machine", "measured", "target"], rows));
}

const EVENTS = [
  "feature-created",
  "feature-environment-enabled",
  "feature-environment-disabled",
  "user-created",
];

const measureRound = async (all: Delivering) => ({
  ...(await measureThroughput(all)),
  ...(await measureReadImpact(all)),
  ...(await measureQueueImpact(all)),
});

type Round = Awaited<ReturnType<typeof measureRound>>;

const order = ({ receiver }: Delivering, one: Order) => void receiver.send(one);

async function countOf(all: Delivering): Promise<number> {
  order(all, { kind: "count" });
  return (await messageOf<{ count: number }>(all.receiver)).count;
}

const change = ({ server }: Delivering, what: "pause" | "resume") =>
  send(server, adminRequest("POST", `addons/1/${what}`));

/** Replaces the queue with the first `count` events of the log. */
function queue({ file }: Delivering, count: number) {
  const db = new Sqlite(file);
  db.pragma("busy_timeout = 10000");
  db.exec("DELETE FROM deliveries");
  const insert = db.prepare(`INSERT INTO deliveries (integration_id, event_id, due_at)
    SELECT 1, id, '2026-01-01T00:00:00.000Z' FROM events ORDER BY id LIMIT ?`);
  insert.run(count);
  db.close();
}

/** Deliveries per second, and microseconds of CPU time for each, when the server has nothing else to do. */
async function measureThroughput(all: Delivering) {
  queue(all, QUEUE);
  order(all, { kind: "answer", rate: 0 });
  await change(all, "resume");
  await setTimeout(500); // warm-up
  await countOf(all);
  await usage(all.server);
  const begin = now();
  await setTimeout(all.seconds * 1000);
  const count = await countOf(all);
  const elapsed = (now() - begin) / 1000;
  const { cpu } = await usage(all.server);
  await change(all, "pause");
  return { rate: count / elapsed, cpu: cpu / count };
}

/** Reads over 32 connections relative to reads alone, while a receiver takes a few deliveries; and how many it gets. */
async function measureReadImpact(all: Delivering) {
  const reads = () => measure(all.server, READ, { connections: 32, seconds: all.seconds });
  await change(all, "pause");
  const alone = await reads();
  queue(all, Math.ceil(3 * RATE * (all.seconds + 1)));
  order(all, { kind: "answer", rate: RATE });
  await change(all, "resume");
  await setTimeout(500); // warm-up
  await countOf(all);
  const begin = now();
  const meanwhile = await reads();
  const count = await countOf(all);
  const elapsed = (now() - begin) / 1000;
  await change(all, "pause");
  return { reads: meanwhile.rate / alone.rate, rateDuringReads: count / elapsed };
}

/** Changes by one client, each of which is queued too: with a long queue, and while it is delivered. */
async function measureQueueImpact(all: Delivering) {
  const changes = async () => (await changeFor(all.server, all.seconds, 1)).p50;
  queue(all, 0);
  const empty = await changes();
  queue(all, QUEUE);
  const waiting = await changes();
  queue(all, QUEUE);
  order(all, { kind: "answer", rate: 0 });
  await change(all, "resume");
  const delivered = await changes();
  await change(all, "pause");
  return { waiting: waiting / empty, delivered: delivered / empty };
}

/**
 * The lag between a change and its delivery, in milliseconds: from the response to a change over the API, and from a
 * commit by another process. 0 if the delivery arrives first.
 */
async function measureLag(all: Delivering, count: number) {
  queue(all, 0);
  order(all, { kind: "answer", rate: 0 });
  await change(all, "resume");
  order(all, { kind: "notify", isOn: true });
  const [ofServer, ofCommand]: [number[], number[]] = [[], []];
  const db = open(all.file);
  for (let n = 0; n < count; n++) {
    await setTimeout(7 * (n % 5)); // out of step with the polling interval
    ofServer.push(await lagOf(all, () => createFlag(all)));
    const act = () => write(db, CLI, (tx) => tx.record({ type: "user-created", data: {} }));
    ofCommand.push(await lagOf(all, act));
  }
  close(db);
  order(all, { kind: "notify", isOn: false });
  await change(all, "pause");
  return { ofServer, ofCommand };
}

async function lagOf({ receiver }: Delivering, act: () => unknown): Promise<number> {
  const received = messageOf<{ receivedAt: number }>(receiver);
  await act();
  const since = now();
  return Math.max(0, (await received).receivedAt - since);
}

let created = 0;

const createFlag = ({ server }: Delivering) =>
  send(server, adminRequest("POST", `projects/${PROJECTS[0]}/features`, { name: `delivered-${created++}` }));
