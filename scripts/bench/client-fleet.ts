import { spawnSync } from "node:child_process";
import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { CLIENT, SERVICE, switchPath } from "./client-dataset.ts";
import { type Subject, usage } from "./load.ts";
import { type Pace, paceOf } from "./pace.ts";

/*
 * Many polling SDKs, each on its own keep-alive connection and its own schedule, while flags are toggled.
 */

export interface Fleet {
  sdks: number;
  /** Seconds between two polls of an SDK. */
  interval: number;
  flags: number;
  /** The share of the flags that is toggled per minute. */
  changing: number;
  /** How long to measure, after each SDK has polled once. */
  seconds: number;
}

export interface FleetFigures {
  polls: Pace;
  max: number;
  /** How many polls were answered with all flags rather than a 304. */
  full: number;
  changes: number;
  /** The share of a core that the server used. */
  core: number;
  loopDelay: number;
  isPinned: boolean;
}

export async function measureFleet(flagstone: Subject, fleet: Fleet): Promise<FleetFigures> {
  const isPinned = pin(flagstone);
  const polls: Poll[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const running = Array.from({ length: fleet.sdks }, () =>
    runSdk(flagstone, fleet.interval * 1000, signal, polls),
  );
  await setTimeout(fleet.interval * 1000 * 1.1); // by then each SDK has connected and fetched the flags
  polls.length = 0;
  await usage(flagstone);
  const changes = await toggleFlags(flagstone, fleet);
  const { cpu, loopDelay } = await usage(flagstone);
  stop.abort();
  const counted = polls.splice(0);
  await Promise.all(running);
  const times = counted.map(({ time }) => time);
  return {
    polls: paceOf(times, fleet.seconds),
    max: Math.max(...times),
    full: counted.filter(({ status }) => status === 200).length,
    changes,
    core: cpu / 1e6 / fleet.seconds,
    loopDelay: loopDelay.max,
    isPinned,
  };
}

interface Poll {
  time: number;
  status: number;
}

/** Pins all threads of the server to one core, where `taskset` exists. */
const pin = ({ child }: Subject) =>
  spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", "0", String(child.pid)]).status === 0;

async function runSdk(flagstone: Subject, interval: number, signal: AbortSignal, polls: Poll[]) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let etag: string | undefined;
  const pause = (ms: number) => setTimeout(ms, undefined, { signal }).catch(() => {});
  await pause(Math.random() * interval);
  while (!signal.aborted) {
    const begin = performance.now();
    const response = await poll(flagstone, agent, etag);
    const time = performance.now() - begin;
    polls.push({ time, status: response.status });
    etag = response.etag ?? etag;
    await pause(interval - time);
  }
  agent.destroy();
}

/** Polls as the Node SDK does. @throws Error unless the status is 200 or 304 */
function poll({ ports }: Subject, agent: http.Agent, etag: string | undefined) {
  const headers = {
    authorization: CLIENT,
    "unleash-client-spec": "5.2.0",
    "accept-encoding": "gzip",
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  return new Promise<{ status: number; etag: string | undefined }>((resolve, reject) => {
    const options = { agent, port: ports.warm, host: "127.0.0.1", path: "/api/client/features", headers };
    const request = http.get(options, (response) => {
      const { statusCode: status = 0, headers } = response;
      if (status !== 200 && status !== 304) reject(new Error(`A poll returned ${status}`));
      response.resume().on("end", () => resolve({ status, etag: headers.etag }));
    });
    request.on("error", reject);
  });
}

/** Toggles flags at an even pace. @returns how many toggles were made */
async function toggleFlags({ ports }: Subject, { flags, changing, seconds }: Fleet): Promise<number> {
  const count = Math.max(1, Math.round((flags * changing * seconds) / 60));
  for (let change = 0; change < count; change++) {
    const path = switchPath((change >> 1) % flags, change % 2 === 0 ? "off" : "on");
    const init = { method: "POST", headers: { authorization: SERVICE } };
    const { status } = await fetch(`http://127.0.0.1:${ports.warm}${path}`, init);
    if (status !== 200) throw new Error(`${path} returned ${status}`);
    await setTimeout((seconds * 1000) / count);
  }
  return count;
}
