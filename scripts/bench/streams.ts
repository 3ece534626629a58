import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { CLIENT, clientLines, SERVICE, toggle } from "./client-dataset.ts";
import type { Context, Options } from "./context.ts";
import { paceOf, short, table } from "./figures.ts";
import { send } from "./load.ts";
import { type Server, stop, type Usage, usage } from "./process.ts";
import { importInto, serve } from "./version.ts";

/** Connect in batches this small, so that none queues to be accepted. */
const BATCH = 100;

/** Time for memory used while connecting to be released. */
const SETTLE_MS = 2000;

const IDLE_MS = 5000;
const CHANGES = 6;

/** What streaming clients cost, and how soon a change reaches all of them. */
export async function run({ versions: [version], options, folder, print }: Context) {
  const { file } = await importInto(path.join(folder, "streams.db"), version!, clientLines(100));
  const server = await serve(version!, file);
  print(await measureStreams(server, server, options));
  await stop(server);
}

/** @param writer where changes are made */
export async function measureStreams(server: Server, writer: Server, options: Options): Promise<string> {
  const count = Number(options.clients);
  const { times, onMessage, expect } = createBroadcastTimer();
  const idleUsage = async () => {
    await usage(server);
    await setTimeout(IDLE_MS);
    return usage(server);
  };
  const unconnected = await idleUsage();
  const sockets: net.Socket[] = [];
  const connectUpTo = async (total: number) => {
    while (sockets.length < total) {
      const batch = Array.from({ length: Math.min(BATCH, total - sockets.length) });
      sockets.push(...(await Promise.all(batch.map(() => listen(server.url, options.path, onMessage)))));
    }
    await setTimeout(SETTLE_MS);
    return usage(server);
  };
  const half = Math.floor(count / 2); // the first half pays for one-time allocations
  const before = await connectUpTo(half);
  await connectUpTo(count);
  const idle = await idleUsage();
  for (let turn = 0; turn < CHANGES; turn++) {
    const received = expect(count);
    await send(writer, toggle(turn, 100));
    await received;
  }
  const broadcast = await usage(server);
  for (const socket of sockets) socket.destroy();
  const { p50, p99, max } = paceOf(times);
  const share = ({ cpu }: Usage) => `${(cpu / IDLE_MS / 10).toFixed(1)} %`;
  return table(
    [`${count} clients on ${options.path}`, ""],
    [
      ["memory per client", `${((idle.memory - before.memory) / (count - half) / 1000).toFixed(1)} kB`],
      ["memory in all", `${(idle.memory / 1e6).toFixed(0)} MB`],
      ["CPU while idle", `${share(idle)} of a core, ${share(unconnected)} with no clients`],
      ["change received", `p50 ${short(p50)}, p99 ${short(p99)}, max ${short(max)} ms`],
      ["CPU per change", `${short(broadcast.cpu / 1000 / CHANGES)} ms`],
      ["event-loop delay", `max ${short(broadcast.loopDelay.max)} ms`],
    ],
  );
}

/** Opens a stream; `onMessage` is called for each message. */
async function listen(url: string, address: string, onMessage: () => void) {
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
  const isOfClients = address.startsWith("/api/client/");
  const token = isOfClients ? CLIENT : SERVICE;
  socket.write(`GET ${address} HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\n\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  if (!head.toString("latin1", 0, 12).endsWith("200")) throw new Error(head.toString("latin1", 0, 200));
  socket.on("data", (chunk) => chunk.includes("id: ") && onMessage());
  return socket;
}

/** Records how long a change takes to reach each client; `expect()` resolves once it has reached all of them. */
function createBroadcastTimer() {
  let [pending, startedAt, done] = [0, 0, () => {}];
  const times: number[] = [];
  return {
    times,
    onMessage() {
      if (pending === 0) return;
      times.push(performance.now() - startedAt);
      if (--pending === 0) done();
    },
    expect(count: number) {
      [pending, startedAt] = [count, performance.now()];
      return new Promise<void>((resolve) => {
        done = resolve;
      });
    },
  };
}
