import fs from "node:fs";
import path from "node:path";
import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { IN_MEMORY, open } from "../db/open.ts";
import { createEdge, createOffline, type Edge, type EdgeOptions } from "../edge/edge.ts";
import { write } from "../events/write.ts";
import { listen } from "../http/node-server.ts";
import { rootOf } from "../http/other-server.ts";
import { keepHeapSmall } from "../lib/heap.ts";
import { UsageError } from "../lib/usage-error.ts";
import { VERSION } from "../lib/version.ts";
import { type Context, command, onStop, wholeNumber } from "./command.ts";
import { readText } from "./config.ts";
import { closing } from "./data-file.ts";
import { createGivenToken, secretsIn, toGivenToken } from "./first-start.ts";
import { openSeeded, reloadOnChange } from "./seed.ts";
import { metricsOf, readTls } from "./serve.ts";
import { CA_OPTION, trustOf } from "./server-url.ts";

const OPTIONS = {
  upstream: {
    hint: "URL",
    help: "the server behind it: a Flagstone, an Unleash, or another edge (UPSTREAM_URL)",
  },
  tokens: {
    hint: "TOKENS",
    help: "the backend tokens to fetch flags with from the start, separated by commas (TOKENS)",
  },
  "token-file": { hint: "FILE", help: "a file with these, which other users of the machine can't read" },
  snapshot: {
    hint: "FILE",
    help: "keep what is known in this file, or in edge.json in this folder, to serve it after a start without upstream",
  },
  interval: {
    hint: "SECONDS",
    help: "how often to ask upstream for flags, besides listening to its stream (15)",
  },
  "usage-interval": { hint: "SECONDS", help: "how often to send on what applications report (60)" },
  "token-interval": {
    hint: "SECONDS",
    help: "how often to ask upstream whether tokens are still valid (60)",
  },
  timeout: { hint: "SECONDS", help: "how long upstream may take to answer (10)" },
  "max-age": {
    hint: "SECONDS",
    help: "/ready fails while the oldest flags are older than this; by default, they may be of any age",
  },
  offline: {
    hint: "FILE",
    help: "serve this file instead, and again when it changes: an export, flags as SDKs read them, or a project as for apply",
  },
  "frontend-tokens": {
    hint: "TOKENS",
    help: "the tokens of pages that --offline lets in, separated by commas (FRONTEND_TOKENS)",
  },
  ...CA_OPTION,
} as const;

/** Those of Unleash Edge, then those of the Unleash Proxy. */
const OTHER_NAMES = {
  "upstream-url": "upstream",
  tokens: "tokens",
  "client-tokens": "tokens",
  "frontend-tokens": "frontend-tokens",
  "backup-folder": "snapshot",
  "bootstrap-file": "offline",
  "features-refresh-interval-seconds": "interval",
  "metrics-interval-seconds": "usage-interval",
  "token-revalidation-interval-seconds": "token-interval",
  "upstream-request-timeout": "timeout",
  "upstream-certificate-file": "ca",
  interface: "host",
  port: "port",
  "base-path": "base-path",
  "tls-server-cert": "tls-cert",
  "tls-server-key": "tls-key",
  "trust-proxy": "trust-proxy",
  "unleash-url": "upstream",
  "unleash-api-token": "tokens",
  "proxy-base-path": "base-path",
} as const;

type EdgeContext = Context<typeof OPTIONS>;

export const edge = command({
  name: "edge",
  summary: "Serve applications near them, with the flags of another server, also while that is away",
  example: "edge --upstream https://flags.example.com --token-file tokens.txt --snapshot edge.json",
  isServer: true,
  settings: [
    "host",
    "port",
    "base-path",
    "tls-cert",
    "tls-key",
    "trust-proxy",
    "metrics",
    "access-log",
    "log-format",
    "log-level",
    "quiet",
  ],
  options: OPTIONS,
  otherNames: OTHER_NAMES,
  run(context) {
    const { offline, upstream } = context.options;
    if (offline === undefined) return serveUpstream(context);
    if (upstream === undefined) return serveOffline(context, offline);
    throw new UsageError("--upstream and --offline contradict each other: give one of them");
  },
});

async function serveUpstream(context: EdgeContext) {
  const { options } = context;
  const url = upstreamOf(context);
  using db = closing(open(IN_MEMORY));
  const edge = createEdge({
    ...serving(context, db),
    upstream: { url, options: trustOf(options.ca, ""), timeoutMs: seconds(context, "timeout", 10) },
    tokens: tokensOf(context),
    snapshot: snapshotOf(options.snapshot),
    maxAgeMs: options["max-age"] === undefined ? undefined : seconds(context, "max-age"),
    pollMs: seconds(context, "interval", 15),
    usageMs: seconds(context, "usage-interval", 60),
    checkMs: seconds(context, "token-interval", 60),
  });
  await serveUntilStopped(context, edge, url);
}

async function serveOffline(context: EdgeContext, file: string) {
  const tokens = [
    ...tokensOf(context).map((secret) => toGivenToken("TOKENS", "client", secret)),
    ...secretsIn(context.options["frontend-tokens"]).map((secret) =>
      toGivenToken("FRONTEND_TOKENS", "frontend", secret),
    ),
  ];
  const environments = [...new Set(tokens.map(({ environment }) => environment))];
  using db = closing(await openSeeded(file, IN_MEMORY, environments));
  write(db, CLI, (tx) => {
    for (const token of tokens) createGivenToken(tx, token);
  });
  const stopReloading = reloadOnChange(db, file, context.log, environments);
  const writtenAt = () => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const edge = createOffline({ ...serving(context, db), writtenAt });
  await serveUntilStopped(context, edge, file);
  await stopReloading();
}

const serving = ({ config, log }: EdgeContext, db: Database) =>
  ({
    db,
    log,
    basePath: config["base-path"],
    trustsProxy: config["trust-proxy"],
    logsAccess: config["access-log"],
    metrics: metricsOf(config, db),
  }) satisfies Partial<EdgeOptions>;

async function serveUntilStopped({ config, log, print, world }: EdgeContext, edge: Edge, source: string) {
  const tls = readTls(config);
  const stopped = new Promise<string>((resolve) => onStop(world, resolve));
  const stopCollecting = keepHeapSmall(log);
  await edge.ready;
  const { host, port } = config;
  const listening = await (world.listen ?? listen)(edge.listener, { host, port, tls, log });
  print(`Flagstone ${VERSION} serves the flags of ${source}`);
  const url = listening.url + config["base-path"];
  print(`URL:   ${url}`);
  log({ level: "info", message: `listening on ${url}` });
  log({ level: "info", message: `stopping on ${await stopped}` });
  await stopCollecting();
  edge.streams.close();
  await listening.close();
  await edge.stop();
}

function upstreamOf({ options: { upstream } }: EdgeContext) {
  if (upstream === undefined || !/^https?:\/\/./.test(upstream))
    throw new UsageError(
      "edge needs --upstream URL, the server behind it, such as https://flags.example.com, or --offline FILE",
    );
  return rootOf(upstream);
}

const tokensOf = ({ options: { tokens, "token-file": file } }: EdgeContext) =>
  secretsIn(file === undefined ? tokens : readText("--token-file", file));

/** A folder gets a file. */
const snapshotOf = (place: string | undefined) =>
  place !== undefined && fs.statSync(place, { throwIfNoEntry: false })?.isDirectory()
    ? path.join(place, "edge.json")
    : place;

const seconds = (
  { options }: EdgeContext,
  name: "max-age" | "interval" | "usage-interval" | "token-interval" | "timeout",
  preset = 1,
) => 1000 * wholeNumber(options, name, { preset, maximum: 86_400 });
