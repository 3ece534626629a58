import path from "node:path";
import { loadUi } from "#ui";
import type { Config } from "../config.ts";
import { removeIfUnused } from "../db/exclusive.ts";
import { isNew } from "../db/leftovers.ts";
import { lockForServing, requireNotServed } from "../db/lock.ts";
import { networkFileSystem, watchPlace } from "../db/network-fs.ts";
import { close, open } from "../db/open.ts";
import type { Database } from "../db/statement.ts";
import { keepHeapSmall } from "../heap.ts";
import { listen, type Tls } from "../http/listen.ts";
import { watchAge } from "../server/aging.ts";
import { createServer } from "../server/create-server.ts";
import { createLargeChanges } from "../server/large-changes.ts";
import { watchRetention } from "../server/retention.ts";
import { watchUsage } from "../server/usage.ts";
import { OPERATIONS } from "../surfaces.ts";
import { isUntouched } from "../transfer/untouched.ts";
import { BUILD, VERSION } from "../version.ts";
import { type Command, type Context, onStop } from "./command.ts";
import { DELIVERY, prepareDeliveries } from "./deliveries.ts";
import { type FirstCredentials, firstPasswordHash, firstStart } from "./first-start.ts";
import { type Given, givenSecrets, variablesOf } from "./given.ts";
import { OPEN_OPTION, openIfRequested } from "./open-browser.ts";
import { writeResetLinks } from "./reset-links.ts";
import { encryptOldSecrets, useConfiguredKey } from "./secret-key.ts";
import { readTls } from "./tls.ts";

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

export const serve: Command = {
  name: "serve",
  summary: "Serve the API and the admin page from the data file, which is created if missing",
  example: "serve --port 4242 --data flags.db",
  isServer: true,
  settings: [...NETWORK, "data", "secret-key-file", "log-format", "log-level", "quiet"],
  options: OPEN_OPTION,
  async run(context) {
    const { config, world } = context;
    const given = givenSecrets(world.env);
    const tls = readTls(config);
    let isUnused = isNew(config.data);
    requireNotServed(config.data); // before opening it: opened by another hard link, it would get a second WAL
    const db = open(config.data);
    let unlock = () => {};
    try {
      unlock = lockForServing(config.data, world.pid);
      useConfiguredKey(config, db);
      encryptOldSecrets(db);
      warnAboutNetworkFs(context);
      const passwordHash = await firstPasswordHash(db, given);
      await serveUntilStopped(context, { db, tls }, (url) => {
        const created = firstStart(db, given, passwordHash);
        isUnused = false;
        if (created === undefined) logIgnored(context, variablesOf(given));
        context.print(`Flagstone ${VERSION} serves ${path.resolve(config.data)}`);
        printWelcome(context, url, created, given);
        openIfRequested(context, publicUrl(context.config, url) + (created?.link ?? "/"));
      });
    } finally {
      unlock();
      close(db);
      if (isUnused) removeIfUnused(config.data, isUntouched);
    }
  },
};

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
  const { host, port, "base-path": basePath, "public-url": publicUrl, "trust-proxy": trustsProxy } = config;
  if (publicUrl !== "" && !publicUrl.endsWith(basePath))
    log({
      level: "warn",
      message: `--public-url does not end with --base-path: links in responses won't work`,
    });
  const metrics = config.metrics ? await metricsOf(db, basePath) : undefined;
  const logsAccess = config["access-log"];
  const ui = config["no-ui"] ? undefined : loadUi;
  const largeChanges = largeChangesOf(context, db);
  const { listener, streams } = createServer({
    db,
    log,
    basePath,
    publicUrl,
    trustsProxy,
    metrics,
    logsAccess,
    inbox: config.inbox,
    ui,
    largeChanges,
  });
  const listening = await listen(listener, { host, port, tls, log });
  const url = listening.url + basePath;
  const stops: Array<() => Promise<void>> = [];
  let stopDelivering = async () => {};
  try {
    onListening(url);
    stopDelivering = deliver(url);
    stops.push(watchAge(db, log), watchUsage(db, log, config["usage-hours"]));
    stops.push(writeResetLinks(context, db, publicUrl || url));
    stops.push(watchRetention(db, log, config["keep-integration-events"]));
    ui?.("main").catch(({ message }) =>
      log({ level: "warn", message: `the page can't be loaded: ${message}` }),
    );
    log({ level: "info", message: `listening on ${url}` });
    log({ level: "info", message: `stopping on ${await stopped}` });
  } finally {
    streams.close();
    await Promise.all([listening.close(), stopDelivering()]); // both may take seconds
    // Last, so that what has arrived until then is written too.
    await Promise.all(stops.map((stop) => stop()));
    await largeChanges?.close();
  }
}

/** Undefined for a database that no other process can open. */
function largeChangesOf({ config, log, world: { program } }: Context, db: Database) {
  if (db.memory) return undefined;
  const { "base-path": basePath, "public-url": publicUrl, "trust-proxy": trustsProxy } = config;
  const settings = { file: db.name, build: BUILD, basePath, publicUrl, trustsProxy };
  return createLargeChanges({ program, settings, log, isInPlace: watchPlace(db) });
}

/** Loaded only if needed, since it takes a tenth of the start-up time. */
async function metricsOf(db: Database, basePath: string) {
  const { createMetrics } = await import("../server/metrics.ts");
  return createMetrics({ db, basePath, operations: OPERATIONS });
}

/** SQLite's locks and shared memory work on a single machine only. */
function warnAboutNetworkFs({ config, log }: Context) {
  const name = networkFileSystem(config.data);
  if (name === undefined) return;
  log({
    level: "warn",
    message: `${config.data} is on a network file system (${name}), where it can become corrupted: use a local disk`,
  });
}

/** Secrets for the first start may still be set on later ones. */
function logIgnored({ config, log }: Context, variables: string[]) {
  for (const variable of variables) {
    log({
      level: "info",
      message: `${variable} is ignored: ${config.data} is already in use and keeps its tokens`,
    });
  }
}

/** The URL for clients. @param url where it listens */
export const publicUrl = (config: Config, url: string) => config["public-url"] || url;

/** Prints the link for signing in. */
export function printLink(
  { config, print }: Context,
  url: string,
  { link, who }: { link: string; who: string },
) {
  print(`Open:  ${publicUrl(config, url)}${link}`);
  print(`       signs in ${who}, once, within 30 minutes`);
}

/** Prints the URL, and on the first start the credentials: a generated secret once, the operator's own never. */
function printWelcome(
  context: Context,
  url: string,
  credentials: FirstCredentials | undefined,
  { personal: given, admin }: Given,
) {
  const { config, print } = context;
  print(`URL:   ${url}`);
  if (credentials && !given)
    printLink(context, url, { link: credentials.link, who: `the user ${admin.username}` });
  if (credentials) {
    print(`Token: ${given?.place ?? credentials.secret}`);
    print(`       of the user ${admin.username}${given ? "" : "; it is shown only once"}`);
  }
  if (config.quiet) return;
  const shell = credentials ? (given?.shell ?? credentials.secret) : "TOKEN";
  print(`Try:   curl -H "Authorization: ${shell}" ${url}/api/admin/events`);
  if (!credentials) print(`       (create a token with flagstone token create NAME --user USER)`);
}
