import { setTimeout } from "node:timers/promises";
import { exchange } from "./exchange.ts";
import type { Found } from "./rounds.ts";
import type { Site } from "./trial.ts";

/** By then the server has lost its own patience with headers, on a machine that does much else. In milliseconds. */
const PATIENCE_MS = 30_000;

const UNFINISHED = ["GET /api/admin/ev", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nAuthor"];

/** Begins requests that do not come to their end; each has to be told so. */
export function watchSlow({ server }: Site) {
  const found: Found[] = [];
  const begin = performance.now();
  const tell = async (text: string) => {
    const pieces = [Buffer.from(text)];
    const one = {
      title: "half a request",
      as: "nobody",
      pieces,
      times: 1,
      hangsUp: false,
      answers: 1,
    } as const;
    const { replies } = await exchange(server.port, one, PATIENCE_MS).catch(() => ({ replies: [] }));
    const status = replies[0]?.status;
    if (status === 408 || server.endOf() !== undefined) return;
    found.push({ kind: "slow", message: `expected 408, not ${status}`, shown: text, alone: undefined });
  };
  const all = Promise.all(UNFINISHED.map(tell));
  return {
    /** What was found; nothing where less time has passed than it takes. */
    async stop(): Promise<Found[]> {
      const isShort = performance.now() - begin < 0.8 * PATIENCE_MS;
      await Promise.race([all, ...(isShort ? [setTimeout(0)] : [])]);
      return isShort ? [] : found;
    },
  };
}
