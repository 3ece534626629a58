import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { reasonOf } from "../db/error.ts";
import { lockForServing, requireNotServed } from "../db/lock.ts";
import { write } from "../events/write.ts";
import { listen } from "../http/node-server.ts";
import { UsageError } from "../lib/usage-error.ts";
import { createToken, revokeToken } from "../people/tokens-store.ts";
import { createServer } from "../server/app.ts";
import { watchUsage } from "../server/tasks.ts";
import { type Context, command, type World } from "./command.ts";
import { closing } from "./data-file.ts";
import { ENVIRONMENT_OPTION, openSeeded, reloadOnChange, requireEnvironment, SEED_OPTION } from "./seed.ts";

const OPTIONS = {
  ...SEED_OPTION,
  file: { hint: "FILE", help: "keep the flags in this data file (in memory)" },
  ...ENVIRONMENT_OPTION,
  watch: { help: "reload the seed whenever it changes" },
} as const;

export const runCommand = command({
  name: "run",
  summary: "Run a command with its own server, which stops when the command exits",
  usage: "-- COMMAND",
  maxArguments: Number.POSITIVE_INFINITY,
  example: "run --seed flags.json -- npm test",
  settings: ["log-format", "log-level"],
  options: OPTIONS,
  async run(context) {
    const { seed, file, environment, watch } = context.options;
    if (watch && seed === undefined) throw new UsageError("--watch needs a --seed file to watch");
    if (watch && file !== undefined) throw new UsageError("--watch replaces all flags: omit --file");
    if (file !== undefined) requireNotServed(file);
    using db = closing(await openSeeded(seed, file));
    const unlock = file === undefined ? () => {} : lockForServing(file, context.world.pid);
    try {
      return await serveFor(context, db, requireEnvironment(db, environment));
    } finally {
      unlock();
    }
  },
});

/** Serves on a free port until the command ends. */
async function serveFor(
  context: Context<typeof OPTIONS>,
  db: Database,
  environment: string,
): Promise<number> {
  const { args, config, log, options, world } = context;
  const { listener, streams } = createServer({ db, log });
  const listening = await listen(listener, { host: "127.0.0.1", port: 0, log });
  const stopUsage = watchUsage(db, log, config["usage-hours"]);
  const tokens = createTokens(db, environment);
  const stopWatching = options.watch ? reloadOnChange(db, options.seed!, log) : async () => {};
  try {
    return await runChild(world, args, variables(listening.url, tokens));
  } finally {
    await stopWatching();
    streams.close();
    await listening.close();
    await stopUsage();
    write(db, CLI, (tx) => {
      for (const { id } of Object.values(tokens)) revokeToken(tx, id);
    });
  }
}

/** One of each type, valid while the command runs. */
const createTokens = (db: Database, environment: string) =>
  write(db, CLI, (tx) => {
    const token = { name: "run", userId: null, projects: ["*"], expiresAt: null };
    return {
      client: createToken(tx, { ...token, type: "client", environment }),
      frontend: createToken(tx, { ...token, type: "frontend", environment }),
      admin: createToken(tx, { ...token, type: "admin", environment: null }),
    };
  });

/** The URL and the tokens, in the variables that SDKs, their examples and OpenFeature read. */
const variables = (
  url: string,
  { client, frontend, admin }: ReturnType<typeof createTokens>,
): NodeJS.ProcessEnv => ({
  FLAGSTONE_URL: url,
  UNLEASH_URL: `${url}/api`,
  UNLEASH_API_URL: `${url}/api`,
  UNLEASH_API_TOKEN: client.secret,
  UNLEASH_SERVER_API_URL: `${url}/api`,
  UNLEASH_SERVER_API_TOKEN: client.secret,
  UNLEASH_FRONTEND_URL: `${url}/api/frontend`,
  UNLEASH_FRONTEND_TOKEN: frontend.secret,
  NEXT_PUBLIC_UNLEASH_FRONTEND_API_URL: `${url}/api/frontend`,
  NEXT_PUBLIC_UNLEASH_FRONTEND_API_TOKEN: frontend.secret,
  UNLEASH_ADMIN_TOKEN: admin.secret,
  OFREP_ENDPOINT: url,
  OFREP_HEADERS: `Authorization=${encodeURIComponent(client.secret)}`,
});

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command in this terminal and forwards signals to it.
 * @returns its exit code, or 128 plus the number of the signal that ended it, as in shells
 */
async function runChild(
  world: World,
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const isWindows = os.platform() === "win32"; // there, npm and others are scripts, which need a shell
  const child = spawn(command, args, { stdio: "inherit", env: { ...world.env, ...env }, shell: isWindows });
  let isRunning = true;
  const forward = (signal: NodeJS.Signals) =>
    world.once(signal, () => {
      if (!isRunning) return;
      if (!isFromTerminal(world, signal)) child.kill(signal);
      forward(signal);
    });
  for (const signal of SIGNALS) forward(signal);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + os.constants.signals[signal!];
  } catch (error) {
    world.stderr.write(`flagstone: ${command} can't be run: ${reasonOf(error)}\n`);
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? 127 : 126;
  } finally {
    isRunning = false;
  }
}

/** The terminal already sends this signal to every process in it. */
const isFromTerminal = ({ stdin }: World, signal: NodeJS.Signals) =>
  signal === "SIGINT" && stdin.isTTY === true;
