import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { keyFileBeside } from "../../src/db/secrets.ts";
import { CALLERS } from "./dataset.ts";
import { exchange } from "./exchange.ts";
import { memoryOf } from "./server.ts";
import type { Found, Site } from "./trial.ts";

/** How long a plain request may take on a busy machine. */
const TIMEOUT_MS = 10_000;

const INTERVAL_MS = 200;

/** Sends a plain request on a new connection at intervals, while everything else runs. */
export function watchPulse(site: Site) {
  const found: Found[] = [];
  let slowest = 0;
  let isStopped = false;
  const beat = async () => {
    while (!isStopped) {
      const begin = performance.now();
      const { server } = site;
      const answer = await ask(server.port);
      if (answer === "200") slowest = Math.max(slowest, performance.now() - begin);
      else if (server === site.server && server.exitReason() === undefined) {
        found.push({
          kind: "pulse",
          message: `expected 200 in time, not ${answer}`,
          shown: "GET /api/admin/user-admin/1",
          alone: undefined,
        });
      }
      await setTimeout(INTERVAL_MS);
    }
  };
  const ended = beat();
  return {
    async stop() {
      isStopped = true;
      await ended;
      return { slowest, found };
    },
  };
}

const ask = (port: number) =>
  fetch(`http://127.0.0.1:${port}/api/admin/user-admin/1`, {
    headers: { authorization: CALLERS.admin, connection: "close" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    async (response) => (await response.text()) && String(response.status),
    (error: Error) => String(error.cause ?? error),
  );

/** Longer than the server's timeout for headers, with a margin for a busy machine. */
const REQUEST_TIMEOUT_MS = 30_000;

const UNFINISHED = ["GET /api/admin/ev", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nAuthor"];

/** Starts requests that never complete; each must be answered with 408. */
export function watchSlow({ server }: Site) {
  const found: Found[] = [];
  const begin = performance.now();
  const sendHalf = async (text: string) => {
    const pieces = [Buffer.from(text)];
    const one = {
      title: "half a request",
      as: "nobody",
      pieces,
      times: 1,
      hangsUp: false,
      answers: 1,
    } as const;
    const { replies } = await exchange(server.port, one, REQUEST_TIMEOUT_MS).catch(() => ({ replies: [] }));
    const status = replies[0]?.status;
    if (status === 408 || server.exitReason() !== undefined) return;
    found.push({ kind: "slow", message: `expected 408, not ${status}`, shown: text, alone: undefined });
  };
  const all = Promise.all(UNFINISHED.map(sendHalf));
  return {
    /** Returns the findings; none if the timeout has not been reached yet. */
    async stop(): Promise<Found[]> {
      const isShort = performance.now() - begin < 0.8 * REQUEST_TIMEOUT_MS;
      await Promise.race([all, ...(isShort ? [setTimeout(0)] : [])]);
      return isShort ? [] : found;
    },
  };
}

/** Limit of the server's memory after the run, in bytes; a fresh server has some 30 MB. */
const MAX_MEMORY = 400e6;

/** Report this many log lines; more mostly have the same cause. */
const MAX_COMPLAINTS = 3;

/** Checks after the run: memory, log, data file, graceful stop, and leftover files. */
export async function checkEnd(site: Site): Promise<{ memory: number | undefined; found: Found[] }> {
  const { server, executable, data } = site;
  const messages: string[] = [];
  const memory = memoryOf(server);
  if (memory !== undefined && memory > MAX_MEMORY)
    messages.push(`expected at most ${MAX_MEMORY} bytes of memory, not ${memory}`);
  await server.stop().catch((error: Error) => messages.push(error.message));
  messages.push(...server.complaints.slice(0, MAX_COMPLAINTS));
  try {
    execFileSync(executable, ["doctor", "--data", data], { env: {}, stdio: "pipe" });
  } catch (error) {
    messages.push(`expected an intact file, not ${(error as { stdout: Buffer }).stdout}`);
  }
  const expected = [data, keyFileBeside(data)].map((file) => path.basename(file));
  const left = fs.readdirSync(path.dirname(data)).filter((name) => !expected.includes(name));
  if (left.length > 0)
    messages.push(`expected no leftover files beside the data file, not ${left.join(", ")}`);
  return {
    memory,
    found: messages.map((message) => ({ kind: "end", message, shown: "", alone: undefined })),
  };
}
