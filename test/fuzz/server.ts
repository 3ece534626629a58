import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { setTimeout } from "node:timers/promises";
import { DIST, ROOT } from "../../scripts/bundle.ts";
import { Finding, requireNoSecret } from "./checks.ts";

const isWindows = process.platform === "win32";
const NAME = `flagstone-${isWindows ? "win" : process.platform}-${process.arch}${isWindows ? ".exe" : ""}`;

/** The executable for this machine, built if it is missing or older than the sources. */
export function hostExecutable(): string {
  const file = path.join(DIST, NAME);
  if (!fs.existsSync(file) || fs.statSync(file).mtimeMs < newestSource()) {
    process.stderr.write("npm run package\n");
    const stdio = ["ignore", "ignore", "inherit"] as const;
    execFileSync(process.execPath, ["scripts/package.ts"], { cwd: ROOT, stdio: [...stdio] });
  }
  return file;
}

function newestSource() {
  const folder = path.join(ROOT, "src");
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => fs.statSync(path.join(folder, file)).mtimeMs));
}

/** How long a stop may take: the program's grace period, and a margin for a busy machine. */
const STOP_MS = 15_000;

/** How long a log line may take to reach us. */
const LOG_MS = 3000;

/** How many characters of a line to show. */
const SHOWN = 1000;

/** The executable serving a data file. */
export interface Server {
  port: number;
  child: ChildProcessWithoutNullStreams;
  /** Violations in its log. */
  complaints: string[];
  /** How the process ended, with its last output; undefined while it runs. */
  exitReason(): string | undefined;
  /** Waits until the server has processed aborted connections, so that a crash they cause has happened. */
  settled(): Promise<void>;
  /** Waits for a log line with this id. @throws Finding if none appears in time */
  requireLogged(id: string): Promise<void>;
  /** @throws Finding unless the server stops gracefully and in time */
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
    exitReason: () => (isExpired(child) ? `${child.signalCode ?? child.exitCode}: ${last}` : undefined),
    settled: () =>
      fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: "close" } }).then(
        async (response) => void (await response.text()),
        () => setTimeout(500),
      ),
    async requireLogged(id) {
      const deadline = performance.now() + LOG_MS;
      while (!ids.delete(id)) {
        if (performance.now() > deadline) throw new Finding(`expected a log line with the id ${id}`);
        await setTimeout(5);
      }
    },
    async stop() {
      const timeout = AbortSignal.timeout(STOP_MS);
      const ended = !isExpired(child)
        ? once(child, "exit", { signal: timeout })
        : [child.signalCode ?? child.exitCode];
      child.kill("SIGTERM");
      const [code] = await Promise.resolve(ended).catch(() => ["a timeout"]);
      child.kill("SIGKILL");
      if (code !== 0) throw new Finding(`expected the exit code 0 after SIGTERM, not ${code}`);
    },
  };
}

const isExpired = ({ exitCode, signalCode }: ChildProcessWithoutNullStreams) =>
  exitCode !== null || signalCode !== null;

async function portOf(child: ChildProcessWithoutNullStreams): Promise<number> {
  for await (const line of readline.createInterface(child.stdout)) {
    const port = /^URL: .*:(\d+)$/.exec(line)?.[1];
    if (port) return Number(port);
  }
  throw new Error("The server did not start");
}

/** A log line must be JSON, contain no secret, and report no error. */
function readLine(line: string, ids: Set<string>, complaints: string[]) {
  try {
    const { id, level } = JSON.parse(line);
    if (typeof id === "string") ids.add(id);
    if (level === "error") complaints.push(`expected no error in the log: ${line.slice(0, SHOWN)}`);
    requireNoSecret(line);
  } catch (error) {
    complaints.push(
      `${error instanceof Finding ? error.message : "expected JSON"} in the log: ${line.slice(0, SHOWN)}`,
    );
  }
}

/** The server's resident bytes without mapped files; undefined except on Linux. */
export function memoryOf({ child }: Server): number | undefined {
  const file = `/proc/${child.pid}/status`;
  if (!fs.existsSync(file)) return undefined;
  const kilobytes = /RssAnon:\s+(\d+)/.exec(fs.readFileSync(file, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
