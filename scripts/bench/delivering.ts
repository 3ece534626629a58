import type { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { CLI } from "../../src/access/actor.ts";
import { close, open } from "../../src/db/open.ts";
import type { Database } from "../../src/db/statement.ts";
import { write } from "../../src/events/write.ts";
import { changeFor, READ, send } from "./changes.ts";
import { messageOf, startScript } from "./child.ts";
import { PROJECTS } from "./dataset.ts";
import { type Figure, measure, type Subject, start, usage } from "./load.ts";
import type { Pace } from "./pace.ts";
import { now, type Order } from "./receiver.ts";

/** A server that delivers to a receiver, and the file that it shares with the command line. */
export interface Delivering {
  served: Subject;
  receiver: ChildProcess;
  file: string;
  seconds: number;
}

const EVENTS = [
  "feature-created",
  "feature-environment-enabled",
  "feature-environment-disabled",
  "user-created",
];

export async function startDelivering(file: string, seconds: number): Promise<Delivering> {
  const receiver = startScript("receiver.ts", []);
  const { port } = await messageOf<{ port: number }>(receiver);
  const served = await start("delivering", file);
  const body = JSON.stringify({
    provider: "webhook",
    enabled: true,
    parameters: { url: `http://127.0.0.1:${port}/` },
    events: EVENTS,
  });
  await send(served, { method: "PUT", path: "/api/admin/addons/1", body });
  return { served, receiver, file, seconds };
}

const order = ({ receiver }: Delivering, one: Order) => void receiver.send(one);

async function countOf(all: Delivering): Promise<number> {
  order(all, { kind: "count" });
  return (await messageOf<{ count: number }>(all.receiver)).count;
}

const change = ({ served }: Delivering, what: "pause" | "resume") =>
  send(served, { method: "POST", path: `/api/admin/addons/1/${what}` });

/** Replaces the queue with the first `count` events of the log. */
export function queue({ file }: Delivering, count: number) {
  const db = new Sqlite(file);
  db.pragma("busy_timeout = 10000");
  db.exec("DELETE FROM deliveries");
  const insert = db.prepare(`INSERT INTO deliveries (integration_id, event_id, due_at)
    SELECT 1, id, '2026-01-01T00:00:00.000Z' FROM events ORDER BY id LIMIT ?`);
  insert.run(count);
  db.close();
}

/** What deliveries do to reads. */
export interface ReadImpact {
  alone: Figure;
  meanwhile: Figure;
  /** Deliveries per second during the reads. */
  rate: number;
}

/** Reads over 32 connections, alone and while the receiver takes `rate` deliveries a second. */
export async function measureReadImpact(all: Delivering, rate: number): Promise<ReadImpact> {
  const reads = () => measure(all.served, "warm", READ, { connections: 32, seconds: all.seconds });
  await change(all, "pause");
  const alone = await reads();
  queue(all, Math.ceil(3 * rate * (all.seconds + 1)));
  order(all, { kind: "answer", rate });
  await change(all, "resume");
  await setTimeout(500); // warm-up
  await countOf(all);
  const begin = now();
  const meanwhile = await reads();
  const count = await countOf(all);
  const elapsed = (now() - begin) / 1000;
  await change(all, "pause");
  return { alone, meanwhile, rate: count / elapsed };
}

/** Deliveries per second, and microseconds of CPU time per delivery. */
export interface Throughput {
  rate: number;
  cpu: number;
}

/** Delivery throughput when the server has nothing else to do. */
export async function measureThroughput(all: Delivering): Promise<Throughput> {
  queue(all, 100_000);
  order(all, { kind: "answer", rate: 0 });
  await change(all, "resume");
  await setTimeout(500);
  await countOf(all);
  await usage(all.served);
  const begin = now();
  await setTimeout(all.seconds * 1000);
  const count = await countOf(all);
  const elapsed = (now() - begin) / 1000;
  const { cpu } = await usage(all.served);
  await change(all, "pause");
  return { rate: count / elapsed, cpu: cpu / count };
}

export interface QueueImpact {
  empty: Pace;
  waiting: Pace;
  /** While the queue is delivered, to a receiver that never waits. */
  delivered: Pace;
}

/** Changes by one client, each of which is queued too, with a short queue and with a long one. */
export async function measureQueueImpact(all: Delivering, count: number): Promise<QueueImpact> {
  const changes = () => changeFor(all.served, all.seconds, 1);
  queue(all, 0);
  const empty = await changes();
  queue(all, count);
  const waiting = await changes();
  queue(all, count);
  order(all, { kind: "answer", rate: 0 });
  await change(all, "resume");
  const delivered = await changes();
  await change(all, "pause");
  return { empty, waiting, delivered };
}

/** In milliseconds. */
export interface Lag {
  ofServer: number[];
  ofCommand: number[];
}

/**
 * The lag between a change and its delivery: from the response to a change over the API, and from a commit by another
 * process. 0 if the delivery arrives first.
 */
export async function measureLag(all: Delivering, count: number): Promise<Lag> {
  queue(all, 0);
  order(all, { kind: "answer", rate: 0 });
  await change(all, "resume");
  order(all, { kind: "notify", isOn: true });
  const [ofServer, ofCommand]: [number[], number[]] = [[], []];
  const db = open(all.file);
  for (let n = 0; n < count; n++) {
    await setTimeout(7 * (n % 5)); // out of step with the polling interval
    ofServer.push(await lagOf(all, () => createFlag(all)));
    ofCommand.push(await lagOf(all, () => recordOne(db)));
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

const createFlag = ({ served }: Delivering) => {
  const body = JSON.stringify({ name: `delivered-${created++}` });
  return send(served, { method: "POST", path: `/api/admin/projects/${PROJECTS[0]}/features`, body });
};

const recordOne = (db: Database) => write(db, CLI, (tx) => tx.record({ type: "user-created", data: {} }));
