import path from "node:path";
import { loadUi } from "#ui";
import type { Config } from "../config.ts";
import { removeIfUnused } from "../db/alone.ts";
import { isNew } from "../db/leftovers.ts";
import { lockForServing, requireNotServed } from "../db/lock.ts";
import { networkFileSystem } from "../db/network-fs.ts";
import { close, open } from "../db/open.ts";
import type { Database } from "../db/statement.ts";
import { keepHeapSmall } from "../heap.ts";
import { listen, type Tls } from "../http/listen.ts";
import { watchAge } from "../server/aging.ts";
import { createServer } from "../server/create-server.ts";
import { watchRetention } from "../server/retention.ts";
import { watchUsage } from "../server/usage.ts";
import { OPERATIONS } from "../surfaces.ts";
import { isUntouched } from "../transfer/untouched.ts";
import { VERSION } from "../version.ts";
import { type Command, type Context, onStop } from "./command.ts";
import { DELIVERY, delivering } from "./delivering.ts";
import { firstPasswordHash, firstStart, type Made } from "./first-start.ts";
import { type Given, givenSecrets, variablesOf } from "./given.ts";
import { encryptOldSecrets, keepSecrets } from "./keep-secrets.ts";
import { OPEN_OPTION, openIfAsked } from "./open-browser.ts";
import { handLinksToFile } from "./reset-links.ts";
import { readTls } from "./tls.ts";

/** A server's settings other than those for its data. */
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
  summary: "Serve the API and its page from the data file, which is created if missing",
  example: "serve --port 4242 --data flags.db",
  isServer: true,
  settings: [...NETWORK, "data", "secret-key-file", "log-format", "log-level", "quiet"],
  options: OPEN_OPTION,
  async run(context) {
    const { config, world } = context;
    const given = givenSecrets(world.env);
    const tls = readTls(config);
    let isInVain = isNew(config.data);
    requireNotServed(config.data); // before opening it: through another hard link it would get a second log
    const db = open(config.data);
    let unlock = () => {};
    try {
      unlock = lockForServing(config.data, world.pid);
      keepSecrets(config, db);
      encryptOldSecrets(db);
      warnOfNetwork(context);
      const passwordHash = await firstPasswordHash(db, given);
      await serveUntilStopped(context, { db, tls }, (url) => {
        const created = firstStart(db, given, passwordHash);
        isInVain = false;
        if (created === undefined) tellIgnored(context, variablesOf(given));
        context.print(`Flagstone ${VERSION} serves ${path.resolve(config.data)}`);
        introduce(context, url, created, given);
        openIfAsked(context, publicUrl(context.config, url) + (created?.link ?? "/"));
      });
    } finally {
      unlock();
      close(db);
      if (isInVain) removeIfUnused(config.data, isUntouched);
    }
  },
};

/**
 * Serves until the process is asked to stop; `onListening` may print, when the port is taken and nothing is answered
 * yet.
 */
export async function serveUntilStopped(
  context: Context,
  { db, tls }: { db: Database; tls: Tls | undefined },
  onListening: (url: string) => void,
) {
  const { config, log, world } = context;
  keepHeapSmall();
  const deliver = delivering(context, db);
  const stopped = new Promise<string>((resolve) => onStop(world, resolve));
  const { host, port, "base-path": basePath, "public-url": publicUrl, "trust-proxy": trustsProxy } = config;
  if (publicUrl !== "" && !publicUrl.endsWith(basePath))
    log({
      level: "warn",
      message: `--public-url does not end with --base-path: links in answers won't work`,
    });
  const metrics = config.metrics ? await metricsOf(db, basePath) : undefined;
  const logsAccess = config["access-log"];
  const ui = config["no-ui"] ? undefined : loadUi;
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
  });
  const listening = await listen(listener, { host, port, tls, log });
  const url = listening.url + basePath;
  const watches: Array<() => Promise<void>> = [];
  try {
    onListening(url);
    watches.push(watchAge(db, log), watchUsage(db, log, config["usage-hours"]), deliver(url));
    watches.push(handLinksToFile(context, db, publicUrl || url));
    watches.push(watchRetention(db, log, config["keep-integration-events"]));
    ui?.("main").catch(({ message }) =>
      log({ level: "warn", message: `the page can't be loaded: ${message}` }),
    );
    log({ level: "info", message: `listening on ${url}` });
    log({ level: "info", message: `stopping on ${await stopped}` });
  } finally {
    streams.close();
    await listening.close(); // also writes whatever arrives until then
    await Promise.all(watches.map((stop) => stop()));
  }
}

/** Loaded on demand, since it would take a tenth of the start time. */
async function metricsOf(db: Database, basePath: string) {
  const { createMetrics } = await import("../server/metrics.ts");
  return createMetrics({ db, basePath, operations: OPERATIONS });
}

/** SQLite's locks and shared memory work on a single machine only. */
function warnOfNetwork({ config, log }: Context) {
  const name = networkFileSystem(config.data);
  if (name === undefined) return;
  log({
    level: "warn",
    message: `${config.data} is on a network file system (${name}), where it can be damaged: use a local disk`,
  });
}

/** Secrets for the first start may remain in the environment of later ones. */
function tellIgnored({ config, log }: Context, variables: string[]) {
  for (const variable of variables) {
    log({
      level: "info",
      message: `${variable} is ignored: ${config.data} is already in use and keeps its tokens`,
    });
  }
}

/** The URL for clients. @param url where it listens */
export const publicUrl = (config: Config, url: string) => config["public-url"] || url;

/** Explains the link for signing in, if there is one. */
export function printLink(
  { config, print }: Context,
  url: string,
  { link, who }: { link: string; who: string },
) {
  print(`Open:  ${publicUrl(config, url)}${link}`);
  print(`       signs in ${who}, once, within 30 minutes`);
}

/** Prints the URL, and on the first start how to get in: a generated secret is shown once, the operator's own never. */
function introduce(context: Context, url: string, made: Made | undefined, { personal: given, admin }: Given) {
  const { config, print } = context;
  print(`URL:   ${url}`);
  if (made && !given) printLink(context, url, { link: made.link, who: `the user ${admin.username}` });
  if (made) {
    print(`Token: ${given?.place ?? made.secret}`);
    print(`       of the user ${admin.username}${given ? "" : "; it is shown only once"}`);
  }
  if (config.quiet) return;
  const shell = made ? (given?.shell ?? made.secret) : "TOKEN";
  print(`Try:   curl -H "Authorization: ${shell}" ${url}/api/admin/events`);
  if (!made) print(`       (flagstone token create NAME --user USER creates a token)`);
}
