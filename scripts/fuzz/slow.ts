import { setTimeout } from "node:timers/promises";
import { exchange } from "./exchange.ts";
import type { Found } from "./rounds.ts";
import type { Site } from "./trial.ts";

/** Longer than the server's timeout for headers, with a margin for a busy machine. */
const TIMEOUT_MS = 30_000;

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
    const { replies } = await exchange(server.port, one, TIMEOUT_MS).catch(() => ({ replies: [] }));
    const status = replies[0]?.status;
    if (status === 408 || server.exitReason() !== undefined) return;
    found.push({ kind: "slow", message: `expected 408, not ${status}`, shown: text, alone: undefined });
  };
  const all = Promise.all(UNFINISHED.map(sendHalf));
  return {
    /** Returns the findings; none if the timeout has not been reached yet. */
    async stop(): Promise<Found[]> {
      const isShort = performance.now() - begin < 0.8 * TIMEOUT_MS;
      await Promise.race([all, ...(isShort ? [setTimeout(0)] : [])]);
      return isShort ? [] : found;
    },
  };
}
