import { close, IN_MEMORY, open } from "../db/open.ts";
import { createEdge } from "../edge/edge.ts";
import { rootOf } from "../http/client.ts";
import { listen } from "../http/listen.ts";
import { keepHeapSmall } from "../lib/heap.ts";
import { UsageError } from "../lib/usage-error.ts";
import { VERSION } from "../lib/version.ts";
import { type Context, command, onStop, wholeNumber } from "./command.ts";
import { readText } from "./config.ts";
import { metricsOf, readTls } from "./serve.ts";
import { CA_OPTION, trustOf } from "./server-url.ts";

const OPTIONS = {
  upstream: {
    hint: "URL",
    help: "the server behind it: a Flagstone, an Unleash, or another edge (UPSTREAM_URL)",
  },
  "token-file": {
    hint: "FILE",
    help: "a file with the backend tokens to fetch flags with from the start, separated by commas (TOKENS)",
  },
  snapshot: {
    hint: "FILE",
    help: "keep what is known in this file, to serve it after a start without upstream",
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
  "max-age": {
    hint: "SECONDS",
    help: "/ready fails while the oldest flags are older than this; by default, they may be of any age",
  },
  ...CA_OPTION,
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
  async run(context) {
    const { config, options, world, log, print } = context;
    const url = upstreamOf(context);
    const tls = readTls(config);
    const stopped = new Promise<string>((resolve) => onStop(world, resolve));
    keepHeapSmall();
    const db = open(IN_MEMORY);
    try {
      const edge = createEdge({
        db,
        log,
        upstream: { url, options: trustOf(options.ca, "") },
        tokens: tokensOf(context),
        snapshot: options.snapshot,
        maxAgeMs: options["max-age"] === undefined ? undefined : seconds(context, "max-age"),
        pollMs: seconds(context, "interval", 15),
        usageMs: seconds(context, "usage-interval", 60),
        checkMs: seconds(context, "token-interval", 60),
        basePath: config["base-path"],
        trustsProxy: config["trust-proxy"],
        logsAccess: config["access-log"],
        metrics: config.metrics ? await metricsOf(db, config["base-path"]) : undefined,
      });
      await edge.ready;
      const { host, port } = config;
      const listening = await (world.listen ?? listen)(edge.listener, { host, port, tls, log });
      print(`Flagstone ${VERSION} serves the flags of ${url}`);
      print(`URL:   ${listening.url}${config["base-path"]}`);
      log({ level: "info", message: `stopping on ${await stopped}` });
      edge.streams.close();
      await listening.close();
      await edge.stop();
    } finally {
      close(db);
    }
  },
});

function upstreamOf({ options, world }: EdgeContext) {
  const url = options.upstream ?? world.env.UPSTREAM_URL;
  if (url === undefined || !/^https?:\/\/./.test(url))
    throw new UsageError(
      "edge needs --upstream URL, the server behind it, such as https://flags.example.com",
    );
  return rootOf(url);
}

/** Never arguments, since every user of the machine could read them. */
function tokensOf({ options, world }: EdgeContext): string[] {
  const file = options["token-file"];
  const text = file === undefined ? (world.env.TOKENS ?? "") : readText("--token-file", file);
  return text.split(/[\s,]+/).filter(Boolean);
}

const seconds = (
  { options }: EdgeContext,
  name: "max-age" | "interval" | "usage-interval" | "token-interval",
  preset = 1,
) => 1000 * wholeNumber(options, name, { preset, maximum: 86_400 });
