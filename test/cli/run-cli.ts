import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { TestContext } from "node:test";
import type { World } from "../../src/cli/command.ts";
import { run } from "../../src/cli/run.ts";
import type { Database } from "../../src/db/database.ts";
import { close, open } from "../../src/db/open.ts";
import { exportDataset } from "../../src/transfer/export.ts";
import { importLines, newDatabase } from "../support/server.ts";

const ROOT = new URL("../../", import.meta.url);
const PRELOAD = new URL("scripts/preload.mjs", ROOT).href;
const MAIN = path.join(import.meta.dirname, "../../src/main.ts");

// Node's compile cache halves the start-up time.
const COMPILE_CACHE = path.join(os.tmpdir(), "flagstone-test-compile-cache");

/** A test that waits longer than this has failed. */
const PATIENCE_MS = 30_000;

/** An unprivileged user: if the tests run as root, no file is read-only for them. */
export const NOBODY = process.getuid?.() === 0 ? 65534 : undefined;

export interface Options {
  /** The user to run as. */
  uid?: number | undefined;
  env?: Record<string, string>;
  /** The working folder; by default, the project's. */
  cwd?: string;
}

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the program from source until it exits. The environment is empty except for what is given. */
export async function runCli(args: readonly string[], options: Options & { input?: string | Buffer } = {}) {
  const { child, ended } = startCli(args, options);
  const deadline = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  child.stdin.end(options.input ?? "");
  return ended.finally(() => clearTimeout(deadline));
}

/** Commands that end by themselves; others are stopped as soon as they wait for that. */
const ENDING = ["import", "pull", "push", "run"];

/** The same in this process; a server is stopped immediately. */
export async function runHere(
  args: readonly string[],
  options: Pick<Here, "env" | "input" | "isTTY"> = {},
): Promise<Result> {
  const once = (_: string, listener: () => void) => {
    if (!ENDING.includes(args[0]!)) listener();
  };
  return launchHere(args, { ...options, once }).ended;
}

interface Here extends Pick<World, "once"> {
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Whether the input comes from a terminal. */
  isTTY?: boolean;
}

function launchHere(args: readonly string[], { env = {}, input = "", isTTY = false, once }: Here) {
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([finished(stdout), finished(stderr)]);
  const exit = run({ argv: [...args], env, pid: process.pid, stdin, stdout, stderr, once }).then(
    async (code) => {
      stdout.end();
      stderr.end();
      await printed;
      return code;
    },
  );
  return observe({ stdout, stderr }, exit);
}

/** The same as `runCli`, without waiting. */
export function startCli(args: readonly string[], { env = {}, cwd, uid }: Options = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    ["--import", PRELOAD, MAIN, ...args],
    {
      cwd: cwd ?? new URL(ROOT),
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      stdio: "pipe",
      ...(uid !== undefined && { uid }),
    },
  );
  child.stdin.on("error", () => {}); // it may exit before reading all input
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, ...observe(child, exit) };
}

/** What a program has printed, now and until it ends. */
function observe(streams: Record<"stdout" | "stderr", Readable>, exit: Promise<number | null>) {
  const output: Result = { code: null, stdout: "", stderr: "" };
  const changes = new EventEmitter().setMaxListeners(0);
  for (const stream of ["stdout", "stderr"] as const) {
    streams[stream].setEncoding("utf8").on("data", (chunk: string) => {
      output[stream] += chunk;
      changes.emit("change");
    });
  }
  let hasEnded = false;
  const ended = exit.then((code) => {
    output.code = code;
    hasEnded = true;
    changes.emit("change");
    return output;
  });
  /** Waits until the output so far matches; fails if the program exits or the time is up. */
  const until = async (what: string, isSo: (output: Result) => boolean) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!isSo(output)) {
      const why = hasEnded ? `ended with ${output.code}` : signal.aborted && "not seen in time";
      if (why) throw new Error(`${what}: ${why}\n${output.stdout}\n${output.stderr}`);
      await once(changes, "change", { signal }).catch(() => {});
    }
  };
  return { ended, output, until };
}

type Running = ReturnType<typeof startCli>;

/** Kills it at the end of the test if it is still running. */
export function endAfter(t: TestContext, { child, ended }: Running) {
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
}

/** Starts `serve` or `demo` in a process of its own, on a free port, and waits until it listens. */
export async function startServer(t: TestContext, args: readonly string[], options: Options = {}) {
  const running = startCli([...args, "--port", "0"], options);
  endAfter(t, running);
  const { child } = running;
  return { child, ...(await listening(args, running, (signal) => child.kill(signal))) };
}

/** The same in this process. */
export async function serveHere(t: TestContext, args: readonly string[], options: Pick<Options, "env"> = {}) {
  const { kill, ...running } = startHere(t, [...args, "--port", "0"], options);
  return listening(args, running, kill);
}

/** Starts a command in this process that waits for a signal, at the latest until the end of the test. */
export function startHere(t: TestContext, args: readonly string[], options: Pick<Options, "env"> = {}) {
  const signals = new EventEmitter();
  const running = launchHere(args, { ...options, once: signals.once.bind(signals) });
  const kill = (signal: NodeJS.Signals) => signals.emit(signal);
  t.after(() => {
    kill("SIGTERM");
    return running.ended;
  });
  return { ...running, kill };
}

/** A server that listens; a quiet one must print a token. */
async function listening(
  args: readonly string[],
  running: ReturnType<typeof observe>,
  kill: (signal: "SIGTERM" | "SIGINT") => void,
) {
  const isQuiet = args.includes("--quiet");
  await running.until("the address", ({ stdout, stderr }) =>
    isQuiet ? /^Token: .*\n/m.test(stdout) : /^URL: .*\n/m.test(stdout) && stderr.includes("listening on"),
  );
  const { stdout } = running.output;
  const url = /^URL: +(\S+)$/m.exec(stdout)?.[1];
  assert.ok(url, stdout);
  const token = /^Token: +(\S+)$/m.exec(stdout)?.[1];
  const get = (where: string, secret = token) =>
    fetch(`${url}/api/admin${where}`, { headers: secret === undefined ? {} : { authorization: secret } });
  const stop = (signal: "SIGTERM" | "SIGINT" = "SIGTERM") => {
    kill(signal);
    return running.ended;
  };
  return { ...running, url, token, get, stop };
}

/** A folder that is removed after the test. */
export function temporaryFolder(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-cli-"));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/** A closed data file with these lines. */
export async function dataFile(t: TestContext, lines: readonly object[]) {
  const file = path.join(temporaryFolder(t), "flags.db");
  const db = newDatabase(file);
  await importLines(db, lines);
  close(db);
  return file;
}

/** A full export of a data file. */
export const contentOf = (file: string, options = { withSecrets: true }) =>
  reading(file, (db) => [...exportDataset(db, options)].join(""));

/** The export as objects, without the last line. */
export const linesOf = (file: string): Array<Record<string, unknown>> =>
  contentOf(file)
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

function reading<T>(file: string, read: (db: Database) => T): T {
  const db = open(file, { mustExist: true });
  try {
    return read(db);
  } finally {
    close(db);
  }
}

/** Asserts a failure: this code, nothing on stdout, a message with this start, and for wrong usage a pointer to the help. */
export function assertRefused(result: Result, code: 1 | 2 | 3 | 4, message: string, help = "") {
  const hint = code === 2 ? `Try: flagstone help${help}\n` : "";
  assert.deepEqual(result, { code, stdout: "", stderr: `flagstone: ${message}\n${hint}` });
}
