import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { messageOf, startScript } from "./child.ts";
import { ADMIN, PROJECTS } from "./dataset.ts";
import { measure, type Subject, usage } from "./load.ts";
import { type Pace, paceOf } from "./pace.ts";
import type { LoopDelay } from "./server.ts";

/** How fast changes are, and how much they slow down reads. */
export interface Changes {
  /** A program that writes the same rows with plain better-sqlite3. */
  bare: Pace;
  /** The same with `synchronous=OFF`. */
  unsynced: Pace;
  /** One client over HTTP, each change sent once the previous one is on disk. */
  one: Pace;
  several: Pace & { clients: number };
  /** Many flags marked stale by one request, and by better-sqlite3 in one transaction. */
  bulk: { bare: Pace; one: Pace; loopDelay: LoopDelay };
  /** One read over 32 connections, alone and during changes; `changes` is their number per second. */
  reads: { alone: Pace; meanwhile: Pace; changes: number };
  /** Latency of a repeated read, and of one after a change in another project. */
  elsewhere: { repeated: Pace; after: Pace };
}

const CLIENTS = 32;

/** How many flags a bulk change marks, the maximum allowed, and how many are made. */
export const BULK = 1000;
export const ROUNDS = 10;

/** The result of `bare-changes.ts`. */
export interface Bare {
  pace: Pace;
  unsynced: Pace;
  bulk: Pace;
}

/** Between two changes while reads are measured: people do not work faster. */
const PAUSE_MS = 20;

const [own = "", other = ""] = PROJECTS;
export const READ = { name: "changes", path: `/api/admin/projects/${own}/features`, token: ADMIN };

/** @param seconds the duration of each measurement. The file grows with the changes. */
export async function measureChanges(
  file: string,
  served: Subject,
  seconds: number,
  progress: (text: string) => void,
): Promise<Changes> {
  progress("changes");
  const bare = await bareChanges(file, seconds);
  const bulk = { bare: bare.bulk, ...(await changeInBulk(served)) };
  await changeFor(served, seconds, 1); // warm-up
  const one = await changeFor(served, seconds, 1);
  const several = { ...(await changeFor(served, seconds, CLIENTS)), clients: CLIENTS };
  return {
    bare: bare.pace,
    unsynced: bare.unsynced,
    one,
    several,
    bulk,
    reads: await readsMeanwhile(served, seconds),
    elsewhere: await readsAfterChanges(served),
  };
}

const bareChanges = (file: string, seconds: number) =>
  messageOf<Bare>(startScript("bare-changes.ts", [file, String(seconds)]));

/** Each client creates a flag, enables it and disables it, over and over. */
export async function changeFor(served: Subject, seconds: number, clients: number): Promise<Pace> {
  const times: number[] = [];
  const begin = performance.now();
  const client = async () => {
    while (performance.now() < begin + seconds * 1000) {
      for (const change of changesOfOneFlag(own)) times.push(await timed(() => send(served, change)));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return paceOf(times, (performance.now() - begin) / 1000);
}

/** The flags are created by an import first; archiving them at the end notifies the project's members. */
async function changeInBulk(served: Subject): Promise<{ one: Pace; loopDelay: LoopDelay }> {
  const features = Array.from({ length: BULK }, (_, index) => `bulk-${index}`);
  const data = { features: features.map((name) => ({ name })), featureStrategies: [], tagTypes: [] };
  const body = JSON.stringify({ project: own, environment: "development", data });
  await send(served, { method: "POST", path: "/api/admin/features-batch/import", body });
  await usage(served);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const change = { features, stale: round % 2 === 0 };
    const path = `/api/admin/projects/${own}/stale`;
    times.push(await timed(() => send(served, { method: "POST", path, body: JSON.stringify(change) })));
  }
  for (const what of ["archive", "revive"]) {
    const path = `/api/admin/projects/${own}/${what}`;
    await send(served, { method: "POST", path, body: JSON.stringify({ features }) });
  }
  return { one: paceOf(times, sum(times)), loopDelay: (await usage(served)).loopDelay };
}

interface Request {
  method: string;
  path: string;
  body?: string;
}

let created = 0;

function changesOfOneFlag(project: string): Request[] {
  const name = `created-${created++}`;
  const features = `/api/admin/projects/${project}/features`;
  const flag = `${features}/${name}/environments/development`;
  return [
    { method: "POST", path: features, body: JSON.stringify({ name }) },
    { method: "POST", path: `${flag}/on` },
    { method: "POST", path: `${flag}/off` },
  ];
}

async function readsMeanwhile(served: Subject, seconds: number) {
  const reads = async () => measure(served, "warm", READ, { connections: CLIENTS, seconds });
  const alone = await reads();
  let changes = 0;
  let isDone = false;
  const changing = (async () => {
    while (!isDone) {
      for (const change of changesOfOneFlag(other)) {
        await send(served, change);
        changes++;
        await setTimeout(PAUSE_MS);
      }
    }
  })();
  const begin = performance.now();
  const meanwhile = await reads();
  const elapsed = (performance.now() - begin) / 1000;
  isDone = true;
  await changing;
  return { alone, meanwhile, changes: changes / elapsed };
}

async function readsAfterChanges(served: Subject) {
  const [repeated, after]: [number[], number[]] = [[], []];
  const read = () => timed(() => send(served, { method: "GET", path: READ.path }));
  for (let round = 0; round < 50; round++) {
    for (const change of changesOfOneFlag(other)) {
      await read();
      repeated.push(await read());
      await send(served, change);
      after.push(await read());
    }
  }
  return { repeated: paceOf(repeated, sum(repeated)), after: paceOf(after, sum(after)) };
}

const sum = (times: number[]) => times.reduce((all, time) => all + time, 0) / 1000;

async function timed(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

const agent = new http.Agent({ keepAlive: true });

/** `node:http` rather than `fetch`, whose overhead would be measured too. */
export function send(subject: Subject, input: Request): Promise<void> {
  const { method, path, body } = input;
  return new Promise((resolve, reject) => {
    const headers = { authorization: ADMIN, ...(body && { "content-type": "application/json" }) };
    const options = { agent, port: subject.ports.warm, host: "127.0.0.1", method, path, headers };
    const request = http.request(options, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode! < 300) resolve();
        else reject(new Error(`${method} ${path} returned ${response.statusCode}`));
      });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === "ECONNRESET"; // the server closed an idle connection
      if (isStale) resolve(send(subject, input));
      else reject(error);
    });
    request.end(body);
  });
}
