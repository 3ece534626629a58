import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { hashSecret } from "../../src/auth/token.ts";
import { start, usage } from "./load.ts";
import { paceOf } from "./pace.ts";
import { importInto, writeLines } from "./prepare.ts";
import type { Usage } from "./server.ts";

/*
 * `npm run bench:streams`: what clients that listen cost, and how soon all of them are told of a change.
 */

const HELP = `npm run bench:streams -- [OPTIONS]

  --clients N  how many listen (1000); the system has to allow as many open files
  --flags N    how many flags they have (100)
  --path PATH  where they listen (/api/client/streaming), or /api/admin/events/stream
  --changes N  how often a flag is switched (5)
`;

const { values: asked } = parseArgs({
  options: {
    clients: { type: "string", default: "1000" },
    flags: { type: "string", default: "100" },
    path: { type: "string", default: "/api/client/streaming" },
    changes: { type: "string", default: "5" },
    help: { type: "boolean" },
  },
});

/** How many connect at once, so that none waits to be accepted. */
const AT_ONCE = 100;

/** How long it takes until what was needed to connect is let go of, in milliseconds. */
const SETTLE_MS = 2000;

const IDLE_MS = 5000;

const SERVICE = `*:*.${"0".repeat(56)}`;

function* lines() {
  const all = [
    { kind: "dataset", version: 1 },
    { kind: "environment", name: "development", type: "development", sortOrder: 1 },
    { kind: "project", id: "p", name: "p", createdAt: "2026-01-01T00:00:00Z", environments: ["development"] },
    { kind: "token", type: "admin", name: "bench", hash: hashSecret(SERVICE), environment: "*" },
    ...Array.from({ length: Number(asked.flags) }, (_, n) => ({
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

/** A client that listens; `heard` is called with each message. */
async function listen(port: number, heard: () => void) {
  const socket = net.connect(port, "127.0.0.1");
  const path = `${asked.path}?environment=development`;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${SERVICE}\r\n\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  if (!head.toString("latin1", 0, 12).endsWith("200")) throw new Error(head.toString("latin1", 0, 200));
  socket.on("data", (chunk) => chunk.includes("id: ") && heard());
  return socket;
}

/** Tells when all that wait have heard, and when each did. */
function hearing() {
  let [waiting, begun, done] = [0, 0, () => {}];
  const times: number[] = [];
  return {
    times,
    heard() {
      if (waiting === 0) return;
      times.push(performance.now() - begun);
      if (--waiting === 0) done();
    },
    begin(count: number) {
      [waiting, begun] = [count, performance.now()];
      return new Promise<void>((resolve) => {
        done = resolve;
      });
    },
  };
}

async function switchFlag(port: number, state: string) {
  const url = `http://127.0.0.1:${port}/api/admin/projects/p/features/flag-0/environments/development/${state}`;
  const { status } = await fetch(url, { method: "POST", headers: { authorization: SERVICE } });
  if (status !== 200) throw new Error(`${url} answered ${status}`);
}

async function measure(folder: string) {
  const file = path.join(folder, "streams.db");
  await importInto(await writeLines(lines(), path.join(folder, "streams.jsonl")), file, () => {});
  const server = await start("flagstone", file);
  const port = server.ports.warm!;
  const [count, changes] = [Number(asked.clients), Number(asked.changes)];
  const { times, heard, begin } = hearing();
  const connect = (many: number) => Promise.all(Array.from({ length: many }, () => listen(port, heard)));
  const idling = async () => {
    await usage(server);
    await setTimeout(IDLE_MS);
    return usage(server);
  };
  const alone = await idling();
  const sockets: net.Socket[] = [];
  const fill = async (most: number) => {
    while (sockets.length < most) sockets.push(...(await connect(Math.min(AT_ONCE, most - sockets.length))));
    await setTimeout(SETTLE_MS);
    return usage(server);
  };
  const half = Math.floor(count / 2); // those that come first bring what is made once
  const before = await fill(half);
  await fill(count);
  const idle = await idling();
  for (let n = 0; n < changes; n++) {
    const all = begin(count);
    await switchFlag(port, n % 2 === 0 ? "on" : "off");
    await all;
  }
  const told = await usage(server);
  for (const socket of sockets) socket.destroy();
  server.child.kill();
  return toText({ each: (idle.memory - before.memory) / (count - half), alone, idle, told, times });
}

interface Measured {
  /** Bytes. */
  each: number;
  /** With nobody there, and with all who only listen. */
  alone: Usage;
  idle: Usage;
  told: Usage;
  times: number[];
}

function toText({ each, alone, idle, told, times }: Measured) {
  const { p50, p99 } = paceOf(times, 1);
  const share = ({ cpu }: Usage) => `${(cpu / IDLE_MS / 10).toFixed(1)} %`;
  const ms = (time: number) => `${time.toFixed(0)} ms`;
  const rows = [
    ["memory of each", `${(each / 1000).toFixed(1)} kB`],
    ["while they idle", `${share(idle)} of a core, ${share(alone)} with nobody there`],
    [
      "told of a change",
      `half within ${ms(p50)}, 99 % within ${ms(p99)}, all within ${ms(Math.max(...times))}`,
    ],
    ["processor time", `${ms(told.cpu / 1000 / Number(asked.changes))} a change`],
    ["event loop held", `${ms(told.held.most)} at the most`],
  ];
  const title = `${asked.clients} clients listen at ${asked.path}; ${asked.flags} flags`;
  return [title, ...rows.map(([name = "", figure]) => `  ${name.padEnd(18)}${figure}`)].join("\n");
}

if (asked.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const report = await measure(folder).finally(() => fs.rmSync(folder, { recursive: true }));
  process.stdout.write(`${report}\n`);
  process.exit(); // with the server that was measured, should it hang
}
