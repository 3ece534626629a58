import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import readline from "node:readline";
import { setTimeout } from "node:timers/promises";
import { Finding } from "./case.ts";
import { requireNoSecret } from "./checks.ts";

/** How long a stop may take: the program's own grace, and some more on a busy machine. */
const STOP_MS = 15_000;

/** How long a line may be on its way from the log to us. */
const LOG_MS = 3000;

/** So much of a line is told. In characters. */
const SHOWN = 1000;

/** The executable at work on a file. */
export interface Server {
  port: number;
  child: ChildProcessWithoutNullStreams;
  /** What its log says that it must not. */
  complaints: string[];
  /** How the process ended, and its last words; undefined while it lives. */
  endOf(): string | undefined;
  /** Waits until a process that is ending has ended: what we hang up on is looked at later than we know. */
  settled(): Promise<void>;
  /** Waits until the log has a line with this id. @throws Finding */
  requireLogged(id: string): Promise<void>;
  /** @throws Finding unless it ends in order, in time */
  stop(): Promise<void>;
}

export async function startServer(executable: string, data: string): Promise<Server> {
  const args = ["serve", "--port", "0", "--data", data, "--log-format", "json", "--access-log", "--metrics"];
  const child = spawn(executable, args, { env: {}, stdio: "pipe" });
  const complaints: string[] = [];
  const ids = new Set<string>();
  let last = "";
  readline.createInterface(child.stderr).on("line", (line) => {
    last = `${last.slice(-SHOWN)}\n${line.slice(0, SHOWN)}`;
    readLine(line, ids, complaints);
  });
  const port = await portOf(child);
  return {
    port,
    child,
    complaints,
    endOf: () => (hasEnded(child) ? `${child.signalCode ?? child.exitCode}: ${last}` : undefined),
    settled: () =>
      fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: "close" } }).then(
        async (response) => void (await response.text()),
        () => setTimeout(500),
      ),
    async requireLogged(id) {
      const deadline = performance.now() + LOG_MS;
      while (!ids.delete(id)) {
        if (performance.now() > deadline) throw new Finding(`expected a line in the log with the id ${id}`);
        await setTimeout(5);
      }
    },
    async stop() {
      const late = AbortSignal.timeout(STOP_MS);
      const ended = !hasEnded(child)
        ? once(child, "exit", { signal: late })
        : [child.signalCode ?? child.exitCode];
      child.kill("SIGTERM");
      const [code] = await Promise.resolve(ended).catch(() => ["nothing in time"]);
      child.kill("SIGKILL");
      if (code !== 0) throw new Finding(`expected the exit code 0 after SIGTERM, not ${code}`);
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcessWithoutNullStreams) =>
  exitCode !== null || signalCode !== null;

async function portOf(child: ChildProcessWithoutNullStreams): Promise<number> {
  for await (const line of readline.createInterface(child.stdout)) {
    const port = /^URL: .*:(\d+)$/.exec(line)?.[1];
    if (port) return Number(port);
  }
  throw new Error("The server did not start");
}

/** A line is JSON, tells no secret, and is no failure. */
function readLine(line: string, ids: Set<string>, complaints: string[]) {
  try {
    const { id, level } = JSON.parse(line);
    if (typeof id === "string") ids.add(id);
    if (level === "error") complaints.push(`expected no failure in the log: ${line.slice(0, SHOWN)}`);
    requireNoSecret(line);
  } catch (error) {
    complaints.push(
      `${error instanceof Finding ? error.message : "expected JSON"} in the log: ${line.slice(0, SHOWN)}`,
    );
  }
}

/** Bytes of memory that are its own, without those of mapped files; undefined where the system does not tell. */
export function memoryOf({ child }: Server): number | undefined {
  const file = `/proc/${child.pid}/status`;
  if (!fs.existsSync(file)) return undefined;
  const kilobytes = /RssAnon:\s+(\d+)/.exec(fs.readFileSync(file, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
