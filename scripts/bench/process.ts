import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/*
 * Processes under test. Each is started with a probe that reports what it uses.
 */

/** A server under test, in a process of its own. */
export interface Server {
  child: ChildProcess;
  url: string;
}

export interface Usage {
  /** Microseconds of CPU time since the last report. */
  cpu: number;
  /** Private bytes; where the system does not tell them, resident ones. */
  memory: number;
  /** The most resident bytes there ever were. */
  peak: number;
  loopDelay: LoopDelay;
}

/** Event-loop delay since the last report, in milliseconds; an idle loop has 1. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

const here = (name: string) => path.join(import.meta.dirname, name);

/** Starts Node with a program and the probe. */
function startProbed(args: readonly string[], { stdio = "ignore", ...options }: SpawnOptions = {}) {
  const all = ["--import", here("probe.mjs"), ...args];
  return spawn(process.execPath, all, { ...options, stdio: ["ignore", stdio, "ignore", "ipc"] as never });
}

/** Runs a program to its end. @returns what it used. @throws Error if it fails */
export async function runProbed(args: readonly string[], cwd = "."): Promise<Usage> {
  const child = startProbed(args, { cwd });
  const used = messageOf<Usage>(child);
  const [code] = await Promise.race([once(child, "exit"), used.then(() => once(child, "exit"))]);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}`);
  return used;
}

/** Starts a program that prints its URL. */
export async function startServer(args: readonly string[]): Promise<Server> {
  const child = startProbed(args, { stdio: "pipe" as never, env: {} });
  let output = "";
  for await (const text of child.stdout!) {
    output += text;
    const url = /URL: +(\S+)/.exec(output)?.[1];
    if (url) return { child, url };
  }
  throw new Error(`${args.join(" ")} did not start`);
}

/** Starts a script of this folder, which sends a message once it is ready. */
export async function startScript<T>(name: string, ...args: string[]) {
  const preload = path.resolve(import.meta.dirname, "../preload.mjs");
  const child = startProbed(["--import", preload, here(name), ...args]);
  return { child, ...(await messageOf<T>(child)) };
}

/** What a process has used since this was last asked. */
export function usage({ child }: Pick<Server, "child">): Promise<Usage> {
  child.send("usage");
  return messageOf<Usage>(child);
}

/** The next message of a process. @throws Error if it exits first */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const answered = new AbortController();
  const options = { signal: answered.signal };
  const exited = once(child, "close", options).then(([code, signal]) => {
    throw new Error(`${child.spawnargs.join(" ")} exited with ${signal ?? code} before it sent a message`);
  });
  try {
    const [message] = await Promise.race([once(child, "message", options), exited]);
    return message;
  } finally {
    answered.abort();
  }
}

/** Stops a process and waits for its end. */
export async function stop({ child }: Pick<Server, "child">) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
