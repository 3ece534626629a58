import http from "node:http";
import net from "node:net";
import { setTimeout } from "node:timers/promises";
import { CLIENT, fetchFlags } from "./client-dataset.ts";
import { type Pace, paceOf } from "./figures.ts";
import { now } from "./receiver.ts";

/*
 * Applications in a process of their own, each on its own connection. Half of them listen to the stream, half poll as
 * the Node SDK does. Those whose connection ends come back. Arguments: the URL, how many, and seconds between two polls.
 */

/** By the clock of `now`: from then on, it is noted when each application first gets flags. */
export interface Order {
  since: number;
}

/** How long it took until each application had flags, in milliseconds; and all errors so far. */
export interface Report {
  streams: Pace;
  polls: Pace;
  errors: number;
}

const [, , url = "", count = "0", interval = "15"] = process.argv;

/** What SDKs wait before they come back, in milliseconds. */
const AGAIN_MS = { least: 1000, spread: 4000 };

const waiting: Record<"streams" | "polls", Set<number>> = { streams: new Set(), polls: new Set() };
const times: Record<"streams" | "polls", number[]> = { streams: [], polls: [] };
let [since, errors] = [0, 0];

function expect(order: Order) {
  since = order.since;
  for (let app = 0; app < Number(count); app++) waiting[app % 2 ? "polls" : "streams"].add(app);
  times.streams = [];
  times.polls = [];
}

function onFlags(kind: "streams" | "polls", app: number) {
  if (!waiting[kind].delete(app)) return;
  times[kind].push(now() - since);
  if (waiting.streams.size + waiting.polls.size > 0) return;
  process.send!({
    streams: paceOf(times.streams),
    polls: paceOf(times.polls),
    errors,
  } satisfies Report);
}

const again = () => setTimeout(AGAIN_MS.least + Math.random() * AGAIN_MS.spread);

async function stream(app: number) {
  for (;;) {
    await listen(() => onFlags("streams", app)).catch(() => errors++);
    await again();
  }
}

/** Resolves when the stream ends. */
function listen(onMessage: () => void) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.write(
    `GET /api/client/streaming HTTP/1.1\r\nhost: x\r\nauthorization: ${CLIENT}\r\nunleash-client-spec: 5.2.0\r\n\r\n`,
  );
  return new Promise<void>((resolve, reject) => {
    socket.on("data", (chunk) => chunk.includes("data: ") && onMessage());
    socket.on("error", reject).on("close", () => resolve());
  });
}

async function poll(app: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let etag: string | undefined;
  for (;;) {
    const begin = performance.now();
    try {
      const found = await fetchFlags(url, agent, etag);
      if (found.etag !== etag) onFlags("polls", app);
      etag = found.etag;
    } catch {
      errors++;
      await again();
      continue;
    }
    await setTimeout(Number(interval) * 1000 - (performance.now() - begin));
  }
}

if (import.meta.main) {
  process.channel!.ref();
  process.on("message", (order: Order | "usage") => order === "usage" || expect(order));
  process.once("disconnect", () => process.exit());
  process.once("message", () => {
    for (let app = 0; app < Number(count); app++) void (app % 2 ? poll(app) : stream(app));
  });
  process.send!({});
}
