import { setTimeout } from "node:timers/promises";
import { CALLERS } from "./dataset.ts";
import type { Found } from "./rounds.ts";
import type { Site } from "./trial.ts";

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
