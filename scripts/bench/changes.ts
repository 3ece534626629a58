import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { messageOf, startScript } from "./child.ts";
import { ADMIN, PROJECTS } from "./dataset.ts";
import { measure, type Subject } from "./load.ts";
import { type Pace, paceOf } from "./pace.ts";

/** How fast changes are, and what they do to reads. */
export interface Changes {
  /** A program that writes the same rows with better-sqlite3 alone. */
  bare: Pace;
  /** Over HTTP, the next one when the one before is on disk. */
  one: Pace;
  several: Pace & { clients: number };
  /** Many flags marked as stale by one request, and by better-sqlite3 in one transaction. */
  bulk: { bare: Pace; one: Pace };
  /** One read by 32 connections, alone and while changes come. `changes` is how many came a second. */
  reads: { alone: Pace; meanwhile: Pace; changes: number };
  /** The time of a read that is repeated, and of one before which something was changed in another project. */
  elsewhere: { repeated: Pace; after: Pace };
}

const CLIENTS = 32;

/** How many flags are changed at once, as many as may be, and how often. */
export const BULK = 1000;
export const ROUNDS = 10;

/** What the bare program tells. */
export interface Bare {
  pace: Pace;
  bulk: Pace;
}

/** Between two changes while reads are measured, in milliseconds: people do not work faster. */
const PAUSE_MS = 20;

const [own = "", other = ""] = PROJECTS;
export const READ = { name: "changes", path: `/api/admin/projects/${own}/features`, token: ADMIN };

/** @param seconds how long each is measured. The file grows by what is changed. */
export async function measureChanges(
  file: string,
  served: Subject,
  seconds: number,
  progress: (text: string) => void,
): Promise<Changes> {
  progress("changes");
  const bare = await bareChanges(file, seconds);
  const bulk = { bare: bare.bulk, one: await changeInBulk(served) };
  const one = await changeFor(served, seconds, 1);
  const several = { ...(await changeFor(served, seconds, CLIENTS)), clients: CLIENTS };
  return {
    bare: bare.pace,
    one,
    several,
    bulk,
    reads: await readsMeanwhile(served, seconds),
    elsewhere: await readsAfterChanges(served),
  };
}

const bareChanges = (file: string, seconds: number) =>
  messageOf<Bare>(startScript("bare-changes.ts", [file, String(seconds)]));

/** Clients that each make a flag, enable it and disable it, again and again. */
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

/** All of them are made by one import first. */
async function changeInBulk(served: Subject): Promise<Pace> {
  const features = Array.from({ length: BULK }, (_, index) => `bulk-${index}`);
  const data = { features: features.map((name) => ({ name })), featureStrategies: [], tagTypes: [] };
  const body = JSON.stringify({ project: own, environment: "development", data });
  await send(served, { method: "POST", path: "/api/admin/features-batch/import", body });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const change = { features, stale: round % 2 === 0 };
    const path = `/api/admin/projects/${own}/stale`;
    times.push(await timed(() => send(served, { method: "POST", path, body: JSON.stringify(change) })));
  }
  return paceOf(times, sum(times));
}

interface Request {
  method: string;
  path: string;
  body?: string;
}

let made = 0;

function changesOfOneFlag(project: string): Request[] {
  const name = `made-${made++}`;
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

/** Without the weight of `fetch`, which would be measured too. */
export function send(subject: Subject, asked: Request): Promise<void> {
  const { method, path, body } = asked;
  return new Promise((resolve, reject) => {
    const headers = { authorization: ADMIN, ...(body && { "content-type": "application/json" }) };
    const options = { agent, port: subject.ports.warm, host: "127.0.0.1", method, path, headers };
    const request = http.request(options, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode! < 300) resolve();
        else reject(new Error(`${method} ${path} answers ${response.statusCode}`));
      });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isOld = request.reusedSocket && error.code === "ECONNRESET"; // closed as it was used again
      if (isOld) resolve(send(subject, asked));
      else reject(error);
    });
    request.end(body);
  });
}
