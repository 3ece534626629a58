import { writeUsage } from "../../src/applications/usage-store.ts";
import { HOUR_MS, startOfHour } from "../../src/lib/time.ts";
import type { openServer } from "./server.ts";
import { CLIENT } from "./world.ts";

/** An application's usage report for these flags, since a time or now. */
export const report = (toggles: object, rest: object = {}, start: unknown = new Date().toISOString()) => ({
  appName: "shop",
  bucket: { start, stop: new Date().toISOString(), toggles },
  ...rest,
});

type Server = Awaited<ReturnType<typeof openServer>>;

/** Sends a report, and waits until it is written. */
export async function reportTo({ request, db }: Server, body: object, as = CLIENT) {
  await request("/api/client/metrics", { method: "POST", as, body });
  await writeUsage(db);
}

/** The start of the hour this many hours ago, RFC 3339. */
export const hourAgo = (hours: number) => startOfHour(Date.now() - hours * HOUR_MS);
