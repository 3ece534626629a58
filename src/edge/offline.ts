import { take } from "../applications/reports.ts";
import { createBackground } from "../lib/background.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { createServer } from "../server/app.ts";
import { doorTo } from "./door.ts";
import type { Edge, EdgeOptions } from "./edge.ts";

type OfflineOptions = Pick<
  EdgeOptions,
  "db" | "log" | "basePath" | "trustsProxy" | "logsAccess" | "metrics"
> & {
  /** When what is served was written, in milliseconds. */
  writtenAt: () => number;
};

/** A server for applications whose flags and tokens are in the database. What they report is not kept. */
export function createOffline(options: OfflineOptions): Edge {
  const { db, log, basePath = "", writtenAt } = options;
  const background = createBackground(log, "forgetting usage");
  background.every(MINUTE_MS, async () => void take(db));
  const ageOf = () => Math.max(0, Date.now() - writtenAt());
  const ahead = doorTo({ basePath, learn: () => true, ageOf, unready: () => undefined });
  const { listener, streams } = createServer({ ...options, ahead });
  return { listener, streams, ready: Promise.resolve(), stop: background.stop };
}
