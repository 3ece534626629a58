import { spawnSync } from "node:child_process";
import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { fetchFlags, toggle } from "./client-dataset.ts";
import type { Options } from "./context.ts";
import { type Pace, paceOf } from "./figures.ts";
import { send } from "./load.ts";
import { type Server, usage } from "./process.ts";

/*
 * Many polling SDKs, each on its own keep-alive connection and its own schedule, while flags are toggled.
 */

export interface FleetFigures {
  polls: Pace;
  /** How many polls were answered with all flags rather than a 304. */
  full: number;
  changes: number;
  /** The share of a core that the server used. */
  core: number;
  loopDelay: number;
  isPinned: boolean;
}

export async function measureFleet(server: Server, options: Options): Promise<FleetFigures> {
  const [sdks, interval, minutes] = [options.sdks, options.interval, options.minutes].map(Number) as [
    number,
    number,
    number,
  ];
  const isPinned = pin(server);
  const polls: Poll[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const running = Array.from({ length: sdks }, () => runSdk(server, interval * 1000, signal, polls));
  await setTimeout(interval * 1000 * 1.1); // by then each SDK has connected and fetched the flags
  polls.length = 0;
  await usage(server);
  const changes = await toggleFlags(server, options);
  const { cpu, loopDelay } = await usage(server);
  stop.abort();
  const counted = polls.splice(0);
  await Promise.all(running);
  const times = counted.map(({ time }) => time);
  const seconds = minutes * 60;
  return {
    polls: paceOf(times, seconds),
    full: counted.filter(({ status }) => status === 200).length,
    changes,
    core: cpu / 1e6 / seconds,
    loopDelay: loopDelay.max,
    isPinned,
  };
}

interface Poll {
  time: number;
  status: number;
}

/** Pins all threads of the server to one core, where `taskset` exists. */
const pin = ({ child }: Server) =>
  spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", "0", String(child.pid)]).status === 0;

async function runSdk(server: Server, interval: number, signal: AbortSignal, polls: Poll[]) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let etag: string | undefined;
  const pause = (ms: number) => setTimeout(ms, undefined, { signal }).catch(() => {});
  await pause(Math.random() * interval);
  while (!signal.aborted) {
    const begin = performance.now();
    const response = await fetchFlags(server.url, agent, etag);
    const time = performance.now() - begin;
    polls.push({ time, status: response.status });
    etag = response.etag ?? etag;
    await pause(interval - time);
  }
  agent.destroy();
}

/** Toggles flags at an even pace. @returns how many toggles were made */
async function toggleFlags(server: Server, { flags, changing, minutes }: Options): Promise<number> {
  const count = Math.max(1, Math.round(Number(flags) * Number(changing) * Number(minutes)));
  for (let turn = 0; turn < count; turn++) {
    await send(server, toggle(turn, Number(flags)));
    await setTimeout((Number(minutes) * 60_000) / count);
  }
  return count;
}
