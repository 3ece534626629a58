import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { run } from "../../src/cli/run.ts";
import type { Database } from "../../src/db/database.ts";
import { close, open } from "../../src/db/open.ts";
import { exportDataset } from "../../src/transfer/export.ts";
import { importLines } from "../support/server.ts";

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

/** The same in this process; unlike an import, a server is stopped immediately. */
export async function runHere(
  args: readonly string[],
  { env = {}, input = "" }: { env?: Record<string, string>; input?: string | Buffer } = {},
): Promise<Result> {
  const [stdin, stdout, stderr] = [Readable.from([Buffer.from(input)]), new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const once = (_: string, listener: () => void) => {
    if (args[0] !== "import") listener();
  };
  const code = await run({ argv: [...args], env, pid: process.pid, stdin, stdout, stderr, once });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

/** The same without waiting. */
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
  const result: Result = { code: null, stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk: string) => {
      result[stream] += chunk;
      changed();
    });
  }
  child.stdin.on("error", () => {}); // it may exit before reading all input
  let isExpired = false;
  const ended = new Promise<Result>((resolve) => {
    child.on("close", (code) => {
      result.code = code;
      isExpired = true;
      changed();
      resolve(result);
    });
  });
  /** Waits until the output so far matches; fails if the program exits or the time is up. */
  const until = (what: string, isSo: (output: Result) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${what}: ${why}\n${result.stdout}\n${result.stderr}`));
      const deadline = setTimeout(() => settle(() => fail("not seen in time")), PATIENCE_MS);
      const settle = (act: () => void) => {
        clearTimeout(deadline);
        listeners.delete(look);
        act();
      };
      const look = () => {
        if (isSo(result)) settle(resolve);
        else if (isExpired) settle(() => fail(`ended with ${result.code}`));
      };
      listeners.add(look);
      look();
    });
  return { child, ended, output: result, until };
}

export type Running = ReturnType<typeof startCli>;

/** Kills it at the end of the test if it is still running. */
export function endAfter(t: TestContext, { child, ended }: Running) {
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
}

/** Starts `serve` or `demo` on a free port and waits until it listens; a quiet one must print a token. */
export async function startServer(t: TestContext, args: readonly string[], options: Options = {}) {
  const running = startCli([...args, "--port", "0"], options);
  endAfter(t, running);
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
    running.child.kill(signal);
    return running.ended;
  };
  return { ...running, url, token, get, stop };
}

/** A folder that is removed after the test. */
export function temporaryFolder(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-cli-"));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A closed data file with these lines. */
export async function dataFile(t: TestContext, lines: readonly object[]) {
  const file = path.join(temporaryFolder(t), "flags.db");
  const db = open(file);
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
