import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";

/*
 * The original, to move in from and out to: Unleash itself, on a PostgreSQL of its own. Neither belongs to the project.
 * PostgreSQL's programs are looked for in the path and where Debian installs them. UNLEASH_SERVER names a folder with
 * a folder for each version; one that is not there yet is installed from npm.
 */

export const UNLEASH_VERSIONS = ["6.4.1", "8.2.0"] as const;
export type UnleashVersion = (typeof UNLEASH_VERSIONS)[number];

const { UNLEASH_SERVER = "", PATH = "" } = process.env;

/** Where programs are looked for. */
const FOLDERS = [...PATH.split(path.delimiter), ...fs.globSync("/usr/lib/postgresql/*/bin").sort().reverse()];

/** For the `skip` of a test: why there is no Unleash here, not even its page, or false. */
export const WITHOUT_PACKAGE =
  UNLEASH_SERVER === "" && "UNLEASH_SERVER names no folder for unleash-server from npm";

/** The same, of one that can be started. */
export const WITHOUT_UNLEASH =
  WITHOUT_PACKAGE ||
  (!FOLDERS.some((folder) => fs.existsSync(path.join(folder, "initdb"))) && "PostgreSQL is not installed");

/** The token of the Admin of a started Unleash. */
const TOKEN = "*:*.some-secret";

const ENVIRONMENT = { PATH: FOLDERS.join(path.delimiter) };

/** PostgreSQL refuses to run as root. */
const POSTGRES_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/**
 * Starts Unleash on a new database, in which its migrations are done, and removes both after the test.
 * `psql` and `dump` work at any time. `stop()` and `start()` are for what has to happen while it doesn't run.
 * @param env settings of Unleash
 */
export async function openUnleash(
  t: Pick<TestContext, "after">,
  version: UnleashVersion,
  env: Record<string, string> = {},
) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "unleash-"));
  const postgres = await startPostgres(folder);
  let server: Server | undefined;
  const stop = async () => {
    if (server) await ended(server.child, "SIGKILL");
    server = undefined;
  };
  t.after(async () => {
    await stop();
    await ended(postgres.child, "SIGINT");
    fs.rmSync(folder, { recursive: true });
  });
  const start = async () => {
    server = await startServer(version, { ...env, DATABASE_URL: postgres.url });
  };
  const run = (program: string, args: readonly string[], input = "") =>
    execFileSync(program, [...args, postgres.url], {
      env: ENVIRONMENT,
      input,
      maxBuffer: 2 ** 30,
      stdio: "pipe",
    });
  const psql = (sql: string, args: readonly string[] = []) =>
    run("psql", ["-qAtX", "-v", "ON_ERROR_STOP=1", ...args], sql)
      .toString()
      .trimEnd();
  await start();
  // It makes them once it already listens.
  while (psql("SELECT count(*) FROM users, api_tokens WHERE password_hash <> ''") === "0")
    await setTimeout(20);
  return {
    token: TOKEN,
    databaseUrl: postgres.url,
    /** Changes with each start. */
    get url() {
      return server!.url;
    },
    start,
    stop,
    /** Calls its API as the Admin. @returns the body. @throws Error for a failure, with what the server said */
    ask: (method: string, where: string, body?: unknown) => askServer(server!.url, method, where, body),
    /** Runs SQL, or `args` such as `-1 -f FILE`, and stops at the first error. @returns rows as text: `1|name` */
    psql: (sql: string, args: readonly string[] = []) =>
      run("psql", ["-qAtX", "-v", "ON_ERROR_STOP=1", ...args], sql)
        .toString()
        .trimEnd(),
    /** What `pg_dump` writes with these options. */
    dump: (...args: string[]): Buffer => run("pg_dump", args),
  };
}

interface Server {
  child: ChildProcess;
  url: string;
}

/** A PostgreSQL with an empty database, which only this machine's users can reach. */
async function startPostgres(folder: string) {
  const data = path.join(folder, "data");
  fs.mkdirSync(data);
  if (POSTGRES_USER.uid)
    for (const one of [folder, data]) fs.chownSync(one, POSTGRES_USER.uid, POSTGRES_USER.gid);
  const options = { ...POSTGRES_USER, cwd: folder, env: ENVIRONMENT };
  const init = ["-D", data, "-U", "unleash", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"];
  execFileSync("initdb", init, { ...options, stdio: "ignore" });
  // A free port is not to be had from PostgreSQL, but its socket's name is in a folder of our own.
  const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
  const child = spawn("postgres", args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  await lineOf(child, child.stderr!, /ready to accept connections/);
  return { child, url: `postgres://unleash@/postgres?host=${folder}` };
}

/** Prints the port that it listens on. */
const SCRIPT = `
  import("unleash-server").then(async ({ default: unleash, start = unleash.start }) => {
    const { server } = await start({ server: { host: "127.0.0.1", port: 0 } });
    console.log("port " + server.address().port);
  });`;

async function startServer(version: UnleashVersion, env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, ["-e", SCRIPT], {
    cwd: installed(version),
    env: {
      PATH,
      DATABASE_SSL: "false",
      CHECK_VERSION: "false",
      SEND_TELEMETRY: "false",
      LOG_LEVEL: "error",
      INIT_ADMIN_API_TOKENS: TOKEN,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [, port] = await lineOf(child, child.stdout!, /^port (\d+)$/);
  return { child, url: `http://127.0.0.1:${port}` };
}

/** The folder with this version, installed if need be. It is there once it is complete: several tests may install it at once. */
export function installed(version: UnleashVersion): string {
  const folder = path.resolve(UNLEASH_SERVER, version);
  if (fs.existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  fs.mkdirSync(unfinished, { recursive: true });
  fs.writeFileSync(path.join(unfinished, "package.json"), "{}");
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `unleash-server@${version}`];
  execFileSync("npm", args, { cwd: unfinished, stdio: "ignore" });
  try {
    fs.renameSync(unfinished, folder);
  } catch {
    fs.rmSync(unfinished, { recursive: true }); // another test was first
  }
  return folder;
}

/** Waits for a line that matches. @throws Error with all that was printed if the program ends before */
async function lineOf(child: ChildProcess, output: NodeJS.ReadableStream, pattern: RegExp) {
  const printed: string[] = [];
  child.stderr?.on("data", (chunk) => printed.push(String(chunk)));
  for await (const line of createInterface(output)) {
    const match = pattern.exec(line);
    if (!match) continue;
    output.resume(); // it must not wait for a reader
    return match;
  }
  throw new Error(`${child.spawnfile} ended: ${printed.join("")}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

async function askServer(url: string, method: string, where: string, body?: unknown) {
  const response = await fetch(`${url}${where}`, {
    method,
    headers: { authorization: TOKEN, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${text}`);
  // biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
  return (text === "" ? undefined : JSON.parse(text)) as any;
}
