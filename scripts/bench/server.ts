import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import Sqlite from "better-sqlite3";
import { open } from "../../src/db/open.ts";
import { bump, bumpEverything } from "../../src/db/revision.ts";
import { startDispatcher } from "../../src/delivery/dispatcher.ts";
import { keepHeapSmall } from "../../src/heap.ts";
import type { Listener } from "../../src/http/listener.ts";
import { createResponseCache, type ResponseCache } from "../../src/http/response-cache.ts";
import { createServer } from "../../src/server/create-server.ts";
import { watchUsage } from "../../src/server/usage.ts";
import { featureName, NOTIFICATIONS, PROJECTS } from "./dataset.ts";

/*
 * A process that is measured: Flagstone as it serves, or the bare server that it is compared with. It is told what to
 * do and says what it used over its channel to the process that measures.
 */

/** What a bare server says to a path. */
export interface Recorded {
  headers: Record<string, string>;
  /** Text, or bytes in base64. */
  body: string;
  isBase64?: true;
  /** Where the body is a list of stored texts: the SQL that reads them. */
  rows?: string | undefined;
}

export type Order = { kind: "usage" } | { kind: "answer"; key: string; recorded: Recorded };

export interface Usage {
  /** Microseconds of processor time since the last order. */
  cpu: number;
  /** Bytes resident now; where the system tells, without those of mapped files, which it may take back. */
  memory: number;
  held: Held;
}

/** How long the event loop was held at a time since the last order, in milliseconds; a loop that rests has 1. */
export interface Held {
  p50: number;
  p99: number;
  most: number;
}

const USAGE_HOURS = 48;

const [, , role, file = ""] = process.argv;

const listen = (listener: Listener) =>
  new Promise<number>((resolve) => {
    const server = http.createServer(listener);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Ports on one database: one as it is served, and others where something changes before each request is looked up. Cold:
 * every table, and of what is cached by row a flag, its project and a notification. First: all that is cached by row as
 * well. Unrelated: something that no measured read is made of.
 */
async function serveFlagstone() {
  keepHeapSmall();
  const db = open(file);
  if (role === "delivering") startDispatcher({ db, log: () => {}, publicUrl: "", allowed: ["127.0.0.1"] });
  watchUsage(db, () => {}, USAGE_HOURS);
  const serve = (cache: ResponseCache) => listen(createServer({ db, log: () => {}, cache }).listener);
  const forget = db.prepare(`
    SELECT listed_features_changed(:feature), dashboard_projects_changed(:project),
      listed_notifications_changed(:notification)`);
  const forgetOwners = db.prepare("SELECT project_owners_changed(NULL)");
  const change = () => {
    bumpEverything(db);
    forget.get({ feature: featureName(0), project: PROJECTS[0], notification: NOTIFICATIONS });
  };
  const changeAll = () => {
    bumpEverything(db);
    forget.get({ feature: null, project: null, notification: null });
    forgetOwners.get();
  };
  return {
    warm: await serve(createResponseCache(db)),
    cold: await serve(changing(createResponseCache(db), change)),
    first: await serve(changing(createResponseCache(db), changeAll)),
    unrelated: await serve(changing(createResponseCache(db), () => bump(db, ["segments"]))),
  };
}

/** A change as each request is looked up: if it came as the request begins to wait, those that wait would share it. */
const changing = (cache: ResponseCache, change: () => void): ResponseCache => ({
  ...cache,
  first(listener) {
    const first = cache.first(listener);
    return (request, response) => {
      change();
      return first(request, response);
    };
  },
});

/** The same bytes with nothing behind them; and a list of events as text, read anew for each request. */
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
  const held: Held = { p50: at(50), p99: at(99), most: at(100) };
  const usage: Usage = { cpu: user + system, memory: residentBytes(), held };
  before = process.cpuUsage();
  delay.reset();
  process.send!(usage);
});

process.once("disconnect", () => process.exit()); // with the process that measures
process.send!(role === "bare" ? await serveBare() : await serveFlagstone());
