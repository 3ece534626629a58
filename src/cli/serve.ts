import path from "node:path";
import { createSecureContext } from "node:tls";
import { loadUi } from "#ui";
import { limitSessions } from "../access/session-store.ts";
import { useEdgeSecret } from "../applications/edge-tokens.ts";
import { watchSchedule } from "../change-requests/schedule.ts";
import type { Database } from "../db/database.ts";
import { lockForServing, networkFileSystem, removeIfUnused, requireNotServed } from "../db/lock.ts";
import { close, open } from "../db/open.ts";
import { isNew, readersOf } from "../db/staged-file.ts";
import { listen, type Tls, toUrl } from "../http/node-server.ts";
import { keepHeapSmall } from "../lib/heap.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import { UsageError } from "../lib/usage-error.ts";
import { VERSION } from "../lib/version.ts";
import { keepSearchesMerged } from "../log/search-merging.ts";
import { rootRoles } from "../people/roles.ts";
import { requireFactorOf } from "../people/second-factor-store.ts";
import { createServer } from "../server/app.ts";
import { createMetrics } from "../server/metrics.ts";
import { OPERATIONS } from "../server/surfaces.ts";
import { watchAge, watchRetention, watchUsage } from "../server/tasks.ts";
import { isUntouched } from "../transfer/import.ts";
import { AUTH_PROXY, authProxyOf, unknownRole } from "./auth-proxy.ts";
import { type Context, command, onStop } from "./command.ts";
import { type Config, readText, SETTINGS } from "./config.ts";
import { AT_OPTION, dataFileToRead, pointOf } from "./data-file.ts";
import { DELIVERY, prepareDeliveries, sendingTo } from "./deliveries.ts";
import {
  type FirstCredentials,
  firstPasswordHash,
  firstStart,
  type Given,
  readGiven,
} from "./first-start.ts";
import { readOidc } from "./oidc.ts";
import { OPEN_OPTION, openIfRequested } from "./open-browser.ts";
import { writeResetLinks } from "./reset-links.ts";
import { encryptOldSecrets, keepTokenSecrets, useConfiguredKey } from "./secrets.ts";

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
  "session-hours",
  "session-idle-minutes",
  "skip-late-changes",
  "second-factor-roles",
  ...AUTH_PROXY,
  ...DELIVERY,
  "access-log",
  "reset-links",
  "no-ui",
] as const;

export const serve = command({
  name: "serve",
  summary: "Serve the API and the admin page from the data file, which is created if missing",
  example: "serve --port 4242 --data flags.db",
  isServer: true,
  settings: [
    ...NETWORK,
    "data",
    "secret-key-file",
    "readable-token-secrets",
    "log-format",
    "log-level",
    "quiet",
  ],
  options: { ...OPEN_OPTION, at: { ...AT_OPTION.at, help: `show it read-only ${AT_OPTION.at.help}` } },
  async run(context) {
    const { config, world, options } = context;
    if (options.at !== undefined) return serveAt(context, options.at);
    const given = readGiven(world.env);
    const tls = readTls(config);
    let isUnused = isNew(config.data);
    requireNotServed(config.data); // before opening it: opened by another hard link, it would get a second WAL
    const db = open(config.data);
    let unlock = () => {};
    try {
      unlock = lockForServing(config.data, world.pid);
      useConfiguredKey(config, db);
      encryptOldSecrets(db);
      keepTokenSecrets(context, db);
      useGivenEdgeSecret(world.env, db);
      warnAboutNetworkFs(context);
      warnAboutReaders(context);
      const passwordHash = await firstPasswordHash(db, given);
      await serveUntilStopped(context, { db, tls }, (url) => {
        const created = firstStart(db, given, passwordHash);
        isUnused = false;
        if (created === undefined) logIgnored(context, given);
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
});

/** Also beside the file's own server, since it changes nothing but sessions. */
async function serveAt(context: Context<typeof OPEN_OPTION>, at: string) {
  const { config, world } = context;
  const tls = readTls(config);
  using db = dataFileToRead(config);
  useConfiguredKey(config, db);
  const point = pointOf(db, "at", at);
  await serveUntilStopped(context, { db, tls, at }, (url) => {
    context.print(`Flagstone ${VERSION} shows ${path.resolve(config.data)} as of ${point.at}, read only`);
    printWelcome(context, url, undefined, readGiven(world.env));
    openIfRequested(context, publicUrl(config, url));
  });
}

/** @throws UsageError for a secret that is too short, without showing it */
function useGivenEdgeSecret({ EDGE_CLIENT_SECRET: secret }: NodeJS.ProcessEnv, db: Database) {
  if (secret && !useEdgeSecret(db, secret))
    throw new UsageError("EDGE_CLIENT_SECRET: must be 16 bytes or more in base64url");
}

/** SQLite's locks and shared memory work on a single machine only. */
function warnAboutNetworkFs({ config, log }: Context) {
  const name = networkFileSystem(config.data);
  const message = `${config.data} is on a network file system (${name}), where it can become corrupted: use a local disk`;
  if (name !== undefined) log({ level: "warn", message });
}

function warnAboutReaders({ config, log }: Context) {
  const message = readersOf(config.data);
  if (message !== undefined) log({ level: "warn", message });
}

/** Secrets for the first start may still be set on later ones. */
function logIgnored({ config, log }: Context, { variables }: Given) {
  const why = `is ignored: ${config.data} is already in use and keeps its tokens`;
  for (const variable of variables) log({ level: "info", message: `${variable} ${why}` });
}

/** Prints the link that signs somebody in. */
export function printLink({ config, print }: Context, url: string, link: string, who: string) {
  print(`Open:  ${publicUrl(config, url)}${link}`);
  print(`       signs in ${who}, once, within 30 minutes`);
}

/** Prints the URL, and on the first start the credentials: a generated secret once, the operator's own never. */
function printWelcome(
  context: Context,
  url: string,
  credentials: FirstCredentials | undefined,
  { personal: given, username }: Given,
) {
  const { config, print } = context;
  print(`URL:   ${url}`);
  if (credentials && !given) printLink(context, url, credentials.link, `the user ${username}`);
  else if (!config.quiet) print(`Open:  ${linkCommand(config, url, credentials ? username : "USER")}`);
  if (credentials) {
    print(`Token: ${given?.place ?? credentials.secret}`);
    print(`       of the user ${username}${given ? "" : "; it is shown only once"}`);
  }
  if (config.quiet) return;
  const shell = credentials ? (given?.shell ?? credentials.secret) : "TOKEN";
  print(`Try:   curl -H "Authorization: ${shell}" ${url}/api/admin/events`);
  if (!credentials) print(`       (create a token with flagstone token create NAME --user USER)`);
}

/** The command that prints a link for signing in to this server. */
function linkCommand(config: Config, url: string, user: string) {
  const options = [
    ...(config.data === data.default ? [] : [`--data ${config.data}`]),
    ...(publicUrl(config, url) !== DEFAULT_URL ? [`--public-url ${publicUrl(config, url)}`] : []),
  ];
  return ["flagstone user link", user, ...options].join(" ");
}

const { host, port, data } = SETTINGS;
const DEFAULT_URL = toUrl({ host: host.default, port: Number(port.default), isTls: false });

/**
 * Serves until the process is asked to stop. `onListening` is called once the port is bound, before any request is
 * answered; it may print.
 * @param at the time to show instead of now: nothing is delivered then, and nothing done in the background
 */
export async function serveUntilStopped(
  context: Context,
  { db, tls, at }: { db: Database; tls: Tls | undefined; at?: string },
  onListening: (url: string) => void,
) {
  const { config, log, world } = context;
  const deliver = at === undefined ? prepareDeliveries(context, db) : undefined;
  const stopped = new Promise<string>((resolve) => onStop(world, resolve));
  warnAboutPublicUrl(context);
  const { host, port, "base-path": basePath, "session-hours": hours, "session-idle-minutes": idle } = config;
  requireSecondFactor(config, db);
  limitSessions(db, { lifetime: hours * HOUR_MS, idle: idle && idle * MINUTE_MS });
  const { listener, streams } = createServer({
    db,
    log,
    basePath,
    publicUrl: config["public-url"],
    trustsProxy: config["trust-proxy"],
    oidc: readOidc(world.env, config["public-url"]),
    sending: sendingTo(context),
    authProxy: authProxyOf(config, db),
    metrics: metricsOf(config, db),
    at,
    logsAccess: config["access-log"],
    inbox: config.inbox,
    ui: config["no-ui"] ? undefined : loadUi,
  });
  const listening = await (world.listen ?? listen)(listener, { host, port, tls, log });
  const url = listening.url + basePath;
  const stopCollecting = keepHeapSmall(log, () => db.pragma("shrink_memory"));
  let [stopDelivering, stopTasks] = [async () => {}, async () => {}];
  try {
    onListening(url);
    if (deliver) [stopDelivering, stopTasks] = [deliver(url), startTasks(context, db, url)];
    log({ level: "info", message: `listening on ${url}` });
    log({ level: "info", message: `stopping on ${await stopped}` });
  } finally {
    await stopCollecting();
    streams.close();
    await Promise.all([listening.close(), stopDelivering()]); // both may take seconds
    await stopTasks(); // last, so that what has arrived until then is written too
  }
}

/** @throws UsageError for an unknown role: its holders would go without */
function requireSecondFactor({ "second-factor-roles": roles }: Config, db: Database) {
  const known = new Map(rootRoles(db).map(({ name, id }) => [name, id]));
  const ids = roles.map((name) => known.get(name) ?? unknownRole(db, "second-factor-roles", name));
  requireFactorOf(db, [...ids, ...roles]); // a role may get another name, or be made anew
}

/** What the server does besides answering and delivering. @returns a function that stops it */
function startTasks(context: Context, db: Database, url: string): () => Promise<void> {
  const { config, log } = context;
  const stops = [
    watchAge(db, log),
    watchUsage(db, log, config["usage-hours"]),
    writeResetLinks(context, db, publicUrl(config, url)),
    watchRetention(db, log, config["keep-integration-events"]),
    keepSearchesMerged(db, log),
    watchSchedule(db, log, config["skip-late-changes"]),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

function warnAboutPublicUrl({ config, log }: Context) {
  const { "base-path": basePath, "public-url": publicUrl } = config;
  if (publicUrl === "" || publicUrl.endsWith(basePath)) return;
  const message = "--public-url does not end with --base-path: links in responses won't work";
  log({ level: "warn", message });
}

/** Undefined unless the operator wants any. */
export const metricsOf = ({ metrics, "base-path": basePath }: Config, db: Database) =>
  metrics ? createMetrics({ db, basePath, operations: OPERATIONS }) : undefined;

/** The URL for clients. @param url where it listens */
export const publicUrl = (config: Config, url: string) => config["public-url"] || url;

/**
 * The certificate and key in the settings; undefined for plain HTTP.
 * @throws UsageError if one is missing or can't be read, or they don't match
 */
export function readTls({ "tls-cert": cert, "tls-key": key }: Config): Tls | undefined {
  if (cert === "" && key === "") return undefined;
  if (cert === "" || key === "") throw new UsageError("--tls-cert and --tls-key go together: give both");
  const tls = { cert: readText("--tls-cert", cert), key: readText("--tls-key", key) };
  try {
    createSecureContext(tls);
  } catch {
    throw new UsageError(
      `--tls-cert and --tls-key: ${cert} and ${key} are not a certificate and its key in PEM`,
    );
  }
  return tls;
}
