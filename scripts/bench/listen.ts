import { type ChildProcess, fork } from "node:child_process";
import http from "node:http";
import net from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { listen as listhen } from "listhen";
import type { Listener } from "../../src/http/listener.ts";
import { listen } from "../../src/http/node-server.ts";
import type { Context } from "./context.ts";
import { messageOf } from "./process.ts";

/*
 * The server's own way to listen beside listhen's, with a handler that does nothing else.
 */

/** The number of connections opened at once. */
const CLIENTS = 1000;

/** How long the server is too busy to accept connections, and how soon after its stop is asked for, in milliseconds. */
const BUSY_MS = 1500;

/** How long half a request is waited for. */
const PATIENCE_MS = 40_000;

const answer: Listener = (_, response) => void response.end("ok");

/** Ways to listen, with what stops them. */
const WAYS = {
  Flagstone: async () => {
    const { url, close } = await listen(answer, { host: "127.0.0.1", port: 0, log: () => {} });
    return { port: Number(new URL(url).port), close };
  },
  listhen: async () => {
    const options = { hostname: "127.0.0.1", port: { random: true }, public: false, isProd: true } as const;
    const { address, close } = await listhen(answer, { ...options, autoClose: false, showURL: false });
    return { port: address.port, close };
  },
};
type Way = keyof typeof WAYS;

/** In a process of its own, so that clients don't wait for the server: serves until told to be busy, or to stop. */
async function serve(way: Way) {
  const { port, close } = await WAYS[way]();
  process.on("message", (order) => {
    const until = performance.now() + BUSY_MS;
    while (performance.now() < until);
    if (order === "stop") void close().then(() => process.exit());
  });
  process.send!({ port });
}

async function start(way: Way): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(import.meta.filename, [way], { execArgv: process.execArgv });
  return { child, ...(await messageOf<{ port: number }>(child)) };
}

/** How many of the clients get an answer, and when the last one does. */
async function burst(way: Way, order: "busy" | "stop") {
  const { child, port } = await start(way);
  child.send(order);
  await setTimeout(300);
  const begun = performance.now();
  const ask = () =>
    new Promise<number>((resolve) => {
      const request = http.get({ port, host: "127.0.0.1", agent: false }, (response) => {
        response.resume().once("end", () => resolve(performance.now() - begun));
      });
      request.once("error", () => resolve(Number.NaN));
    });
  const times = await Promise.all(Array.from({ length: CLIENTS }, ask));
  child.kill();
  const answered = times.filter((time) => !Number.isNaN(time));
  return { answered: answered.length, last: Math.round(Math.max(0, ...answered)) };
}

/** When a client that sends half a request is disconnected, in seconds; undefined if it is not. */
async function halfRequest(way: Way) {
  const { child, port } = await start(way);
  const begun = performance.now();
  const socket = net.connect(port, "127.0.0.1").resume();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
  const closed = new Promise((resolve) => socket.once("close", () => resolve(performance.now() - begun)));
  const ms = await Promise.race([closed, setTimeout(PATIENCE_MS)]);
  socket.destroy();
  child.kill();
  return ms === undefined ? `not within ${PATIENCE_MS / 1000} s` : `after ${Math.round(Number(ms) / 1000)} s`;
}

export async function run({ print }: Context) {
  for (const way of Object.keys(WAYS) as Way[]) {
    const busy = await burst(way, "busy");
    const stop = await burst(way, "stop");
    print(`${way}
  ${CLIENTS} clients while it is busy: ${busy.answered} answered, the last after ${busy.last} ms
  ${CLIENTS} clients just before it stops: ${stop.answered} answered
  half a request: disconnected ${await halfRequest(way)}`);
  }
}

if (import.meta.main) await serve(process.argv[2] as Way);
