import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { hashSecret } from "../../src/access/token.ts";
import { start, usage } from "./load.ts";
import { paceOf } from "./pace.ts";
import { importInto, writeLines } from "./prepare.ts";
import type { Usage } from "./server.ts";

/*
 * `npm run bench:streams`: what streaming clients cost, and how soon a change reaches all of them.
 */

const HELP = `npm run bench:streams -- [OPTIONS]

  --clients N  number of clients (1000); the system must allow that many open files
  --flags N    number of flags (100)
  --path PATH  the stream to open (/api/client/streaming), or /api/admin/events/stream
  --changes N  how many times a flag is toggled (5)
`;

const { values: options } = parseArgs({
  options: {
    clients: { type: "string", default: "1000" },
    flags: { type: "string", default: "100" },
    path: { type: "string", default: "/api/client/streaming" },
    changes: { type: "string", default: "5" },
    help: { type: "boolean" },
  },
});

/** Connect in batches this small, so that none queues to be accepted. */
const BATCH = 100;

/** Time for memory used while connecting to be released. */
const SETTLE_MS = 2000;

const IDLE_MS = 5000;

const SERVICE = `*:*.${"0".repeat(56)}`;

function* lines() {
  const all = [
    { kind: "dataset", version: 1 },
    { kind: "environment", name: "development", type: "development", sortOrder: 1 },
    { kind: "project", id: "p", name: "p", createdAt: "2026-01-01T00:00:00Z", environments: ["development"] },
    { kind: "token", type: "admin", name: "bench", hash: hashSecret(SERVICE), environment: "*" },
    ...Array.from({ length: Number(options.flags) }, (_, n) => ({
      kind: "feature",
      name: `flag-${n}`,
      project: "p",
      createdAt: "2026-01-01T00:00:00Z",
      createdByUserId: 1,
      environments: [
        { name: "development", strategies: [{ name: "flexibleRollout", parameters: { rollout: "50" } }] },
      ],
    })),
  ];
  for (const line of all) yield `${JSON.stringify(line)}\n`;
}

/** Opens a stream; `onMessage` is called for each message. */
async function listen(port: number, onMessage: () => void) {
  const socket = net.connect(port, "127.0.0.1");
  const path = `${options.path}?environment=development`;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${SERVICE}\r\n\r\n`);
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

async function toggleFlag(port: number, state: string) {
  const url = `http://127.0.0.1:${port}/api/admin/projects/p/features/flag-0/environments/development/${state}`;
  const { status } = await fetch(url, { method: "POST", headers: { authorization: SERVICE } });
  if (status !== 200) throw new Error(`${url} returned ${status}`);
}

async function measure(folder: string) {
  const file = path.join(folder, "streams.db");
  await importInto(await writeLines(lines(), path.join(folder, "streams.jsonl")), file, () => {});
  const server = await start("flagstone", file);
  const port = server.ports.warm!;
  const [count, changes] = [Number(options.clients), Number(options.changes)];
  const { times, onMessage, expect } = createBroadcastTimer();
  const connect = (many: number) => Promise.all(Array.from({ length: many }, () => listen(port, onMessage)));
  const idleUsage = async () => {
    await usage(server);
    await setTimeout(IDLE_MS);
    return usage(server);
  };
  const unconnected = await idleUsage();
  const sockets: net.Socket[] = [];
  const connectUpTo = async (total: number) => {
    while (sockets.length < total) sockets.push(...(await connect(Math.min(BATCH, total - sockets.length))));
    await setTimeout(SETTLE_MS);
    return usage(server);
  };
  const half = Math.floor(count / 2); // the first half pays for one-time allocations
  const before = await connectUpTo(half);
  await connectUpTo(count);
  const idle = await idleUsage();
  for (let n = 0; n < changes; n++) {
    const received = expect(count);
    await toggleFlag(port, n % 2 === 0 ? "on" : "off");
    await received;
  }
  const broadcast = await usage(server);
  for (const socket of sockets) socket.destroy();
  server.child.kill();
  const perClient = (idle.memory - before.memory) / (count - half);
  return toText({ perClient, unconnected, idle, broadcast, times });
}

interface Measured {
  /** Bytes of memory. */
  perClient: number;
  /** While idle, with no clients and with all of them. */
  unconnected: Usage;
  idle: Usage;
  /** While the changes are sent. */
  broadcast: Usage;
  times: number[];
}

function toText({ perClient, unconnected, idle, broadcast, times }: Measured) {
  const { p50, p99 } = paceOf(times, 1);
  const share = ({ cpu }: Usage) => `${(cpu / IDLE_MS / 10).toFixed(1)} %`;
  const ms = (time: number) => `${time.toFixed(0)} ms`;
  const rows = [
    ["memory per client", `${(perClient / 1000).toFixed(1)} kB`],
    ["CPU while idle", `${share(idle)} of a core, ${share(unconnected)} with no clients`],
    ["change received", `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(Math.max(...times))}`],
    ["CPU per change", ms(broadcast.cpu / 1000 / Number(options.changes))],
    ["event loop delay", `max ${ms(broadcast.loopDelay.max)}`],
  ];
  const title = `${options.clients} clients on ${options.path}; ${options.flags} flags`;
  return [title, ...rows.map(([name = "", figure]) => `  ${name.padEnd(19)}${figure}`)].join("\n");
}

if (options.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const report = await measure(folder).finally(() => fs.rmSync(folder, { recursive: true }));
  process.stdout.write(`${report}\n`);
  process.exit(); // also stops the server, should it hang
}
