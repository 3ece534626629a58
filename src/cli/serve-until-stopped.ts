import { loadUi } from "#ui";
import type { Database } from "../db/statement.ts";
import { listen, type Tls } from "../http/listen.ts";
import { keepHeapSmall } from "../lib/heap.ts";
import { watchAge } from "../server/aging.ts";
import { createServer, type ServerOptions } from "../server/create-server.ts";
import { watchRetention } from "../server/retention.ts";
import { OPERATIONS } from "../server/surfaces.ts";
import { watchUsage } from "../server/usage.ts";
import { type Context, onStop } from "./command.ts";
import type { Config } from "./config.ts";
import { DELIVERY, prepareDeliveries } from "./deliveries.ts";
import { writeResetLinks } from "./reset-links.ts";

/** A server's settings, except those for its data. */
export const NETWORK = [
  "host",
  "port",
  "base-path",
  "public-url",
  "tls-cert",
  "tls-key",
  "trust-proxy",
  "metrics",
  "usage-hours",
  ...DELIVERY,
  "access-log",
  "reset-links",
  "no-ui",
] as const;

/**
 * Serves until the process is asked to stop. `onListening` is called once the port is bound, before any request is
 * answered; it may print.
 */
export async function serveUntilStopped(
  context: Context,
  { db, tls }: { db: Database; tls: Tls | undefined },
  onListening: (url: string) => void,
) {
  const { config, log, world } = context;
  keepHeapSmall();
  const deliver = prepareDeliveries(context, db);
  const stopped = new Promise<string>((resolve) => onStop(world, resolve));
  warnAboutPublicUrl(context);
  const options = await optionsOf(context, db);
  const { listener, streams } = createServer(options);
  const { host, port } = config;
  const listening = await (world.listen ?? listen)(listener, { host, port, tls, log });
  const url = listening.url + config["base-path"];
  let [stopDelivering, stopTasks] = [async () => {}, async () => {}];
  try {
    onListening(url);
    stopDelivering = deliver(url);
    stopTasks = startTasks(context, db, url);
    log({ level: "info", message: `listening on ${url}` });
    log({ level: "info", message: `stopping on ${await stopped}` });
  } finally {
    streams.close();
    await Promise.all([listening.close(), stopDelivering()]); // both may take seconds
    await stopTasks(); // last, so that what has arrived until then is written too
  }
}

async function optionsOf(context: Context, db: Database): Promise<ServerOptions> {
  const { config, log } = context;
  const basePath = config["base-path"];
  return {
    db,
    log,
    basePath,
    publicUrl: config["public-url"],
    trustsProxy: config["trust-proxy"],
    metrics: config.metrics ? await metricsOf(db, basePath) : undefined,
    logsAccess: config["access-log"],
    inbox: config.inbox,
    ui: config["no-ui"] ? undefined : loadUi,
  };
}

/** What the server does besides answering and delivering. @returns a function that stops it */
function startTasks(context: Context, db: Database, url: string): () => Promise<void> {
  const { config, log } = context;
  const stops = [
    watchAge(db, log),
    watchUsage(db, log, config["usage-hours"]),
    writeResetLinks(context, db, publicUrl(config, url)),
    watchRetention(db, log, config["keep-integration-events"]),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

function warnAboutPublicUrl({ config, log }: Context) {
  const { "base-path": basePath, "public-url": publicUrl } = config;
  if (publicUrl === "" || publicUrl.endsWith(basePath)) return;
  const message = "--public-url does not end with --base-path: links in responses won't work";
  log({ level: "warn", message });
}

/** Loaded only if needed, since it takes a tenth of the start-up time. */
async function metricsOf(db: Database, basePath: string) {
  const { createMetrics } = await import("../server/metrics.ts");
  return createMetrics({ db, basePath, operations: OPERATIONS });
}

/** The URL for clients. @param url where it listens */
export const publicUrl = (config: Config, url: string) => config["public-url"] || url;
