import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import Sqlite from "better-sqlite3";
import { open } from "../../src/db/open.ts";
import { bump, bumpEverything } from "../../src/db/revision.ts";
import type { Database } from "../../src/db/statement.ts";
import type { Listener } from "../../src/http/listener.ts";
import { ResponseCache } from "../../src/http/response-cache.ts";
import { startDispatcher } from "../../src/integrations/dispatcher.ts";
import { keepHeapSmall } from "../../src/lib/heap.ts";
import { createServer } from "../../src/server/create-server.ts";
import { watchUsage } from "../../src/server/usage.ts";

/*
 * The process under test: Flagstone, or the bare server to compare it with. It takes orders and reports its usage over
 * the IPC channel.
 */

/** A recorded response for the bare server to replay. */
export interface Recorded {
  headers: Record<string, string>;
  /** Text, or base64. */
  body: string;
  isBase64?: true;
  /** The SQL that reads the body's items, if it is a list of stored JSON. */
  rows?: string | undefined;
}

export type Order = { kind: "usage" } | { kind: "answer"; key: string; recorded: Recorded };

export interface Usage {
  /** Microseconds of CPU time since the last order. */
  cpu: number;
  /** Resident bytes; on Linux without mapped files, which the system can reclaim. */
  memory: number;
  loopDelay: LoopDelay;
}

/** Event-loop delay since the last order, in milliseconds; an idle loop has 1. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

const USAGE_HOURS = 48;

const [, , role, file = ""] = process.argv;

const listen = (listener: Listener) =>
  new Promise<number>((resolve) => {
    const server = http.createServer(listener);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Several ports on one database: "warm" as in production, the others with a change before each cache lookup.
 * - cold: every table
 * - unrelated: a table that no measured read depends on
 */
async function serveFlagstone() {
  keepHeapSmall();
  const db = open(file);
  if (role === "delivering") startDispatcher({ db, log: () => {}, publicUrl: "", allowed: ["127.0.0.1"] });
  watchUsage(db, () => {}, USAGE_HOURS);
  const serve = (cache: ResponseCache) => listen(createServer({ db, log: () => {}, cache }).listener);
  return {
    warm: await serve(new ResponseCache(db)),
    cold: await serve(new ChangingCache(db, () => bumpEverything(db))),
    unrelated: await serve(new ChangingCache(db, () => bump(db, ["banners"]))),
  };
}

/** Makes a change at each cache lookup; made any earlier, requests that wait for each other would share one change. */
class ChangingCache extends ResponseCache {
  readonly #change: () => void;

  constructor(db: Database, change: () => void) {
    super(db);
    this.#change = change;
  }

  override before(listener: Listener): Listener {
    const answer = super.before(listener);
    return (request, response) => {
      this.#change();
      return answer(request, response);
    };
  }
}

/** "bare" replays recorded responses; "rows" reads a list of events from the database for each request. */
async function serveBare() {
  const answers = new Map<string, Omit<Recorded, "body"> & { body: string | Buffer }>();
  process.on("message", (order: Order) => {
    if (order.kind !== "answer") return;
    const { body, ...recorded } = order.recorded;
    answers.set(order.key, { ...recorded, body: recorded.isBase64 ? Buffer.from(body, "base64") : body });
  });
  const db = new Sqlite(file, { readonly: true });
  db.pragma("mmap_size = 268435456");
  const statements = new Map<string, Sqlite.Statement<[], string>>();
  const read = (sql: string) => {
    if (!statements.has(sql)) statements.set(sql, db.prepare<[], string>(sql).pluck());
    return statements.get(sql)!.all();
  };
  const bare = await listen((request, response) => {
    const { headers, body } = answers.get(String(request.headers["x-case"]))!;
    const send = () => {
      if (request.headers["if-none-match"]) response.writeHead(304, { etag: headers.etag }).end();
      else response.writeHead(200, headers).end(body);
    };
    if (request.method === "GET") return send();
    request.on("data", () => {}).on("end", send);
  });
  const rows = await listen((request, response) => {
    const { headers, rows } = answers.get(String(request.headers["x-case"]))!;
    const body = `{"version":1,"events":[${read(rows!).join(",")}]}`;
    response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  });
  return { bare, rows };
}

function residentBytes() {
  const status = fs.existsSync("/proc/self/status") ? fs.readFileSync("/proc/self/status", "utf8") : "";
  const kilobytes = /RssAnon:\s+(\d+)/.exec(status)?.[1];
  return kilobytes ? Number(kilobytes) * 1024 : process.memoryUsage.rss();
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();

process.on("message", (order: Order) => {
  if (order.kind !== "usage") return;
  const { user, system } = process.cpuUsage(before);
  const at = (part: number) => delay.percentile(part) / 1e6;
  const loopDelay: LoopDelay = { p50: at(50), p99: at(99), max: at(100) };
  const usage: Usage = { cpu: user + system, memory: residentBytes(), loopDelay };
  before = process.cpuUsage();
  delay.reset();
  process.send!(usage);
});

process.once("disconnect", () => process.exit()); // when the parent exits
process.send!(role === "bare" ? await serveBare() : await serveFlagstone());
