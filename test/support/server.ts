import assert from "node:assert/strict";
import fs from "node:fs";
import { after, type TestContext, test } from "node:test";
import * as v from "valibot";
import { FlagFailure } from "../../src/applications/ofrep-schema.ts";
import type { Database } from "../../src/db/database.ts";
import { close, inNewFile, open, openCopy } from "../../src/db/open.ts";
import { useKeysOf } from "../../src/db/secrets.ts";
import type { Event } from "../../src/events/schema.ts";
import { NoBody, type Operation, operationFinder, textTypeOf } from "../../src/http/operation.ts";
import { ErrorBody } from "../../src/lib/api-error.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { createServer } from "../../src/server/app.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { importDataset } from "../../src/transfer/import.ts";
import "./cheap-passwords.ts";
import { createWorld, personal, type World } from "./world.ts";

export interface Call {
  method?: string;
  /** A token; null for none. By default, the Admin's. */
  as?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; text and bytes are sent as they are. */
  body?: unknown;
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
  body: any;
  text: string;
}

export const asChunks = async function* (text: string | Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
};

export const importLines = (db: Database, lines: readonly object[]) =>
  importDataset(db, asChunks(lines.map((line) => JSON.stringify(line)).join("\n")));

const newFile = inNewFile((db) => db.serialize());

/** A new database, in memory or in a file: a copy of one, which takes a fraction of the time of making it. */
export function newDatabase(file?: string): Database {
  if (file === undefined) return openCopy(newFile);
  fs.writeFileSync(file, newFile, { mode: 0o600, flag: "wx" });
  return open(file);
}

/** Each imported world by its lines, and the database that has the key of its secrets. */
const imported = new Map<string, { bytes: Buffer; first: Database }>();

/** A database that holds the world, in memory or in a new file. */
async function openWorld({ lines }: World, file?: string): Promise<Database> {
  if (file !== undefined) return filled(newDatabase(file), lines);
  const key = JSON.stringify(lines);
  const known = imported.get(key);
  if (known) return copyOf(known.bytes, known.first);
  const first = await filled(newDatabase(), lines);
  imported.set(key, { bytes: first.serialize(), first });
  return first;
}

async function filled(db: Database, lines: readonly object[]) {
  await importLines(db, lines);
  return db;
}

function copyOf(bytes: Buffer, other: Database) {
  const db = openCopy(bytes);
  useKeysOf(db, other);
  return db;
}

/**
 * The real app on a database in memory, or in a new file. Every reply is checked: a 200 against its operation's schema,
 * an error against the error schema. An `UnknownError` fails the test.
 */
export async function openServer(t: TestContext, world: World = createWorld(), file?: string) {
  const server = await startServer(world, file);
  t.after(server.stop);
  return server;
}

async function startServer(world: World, file?: string) {
  const db = await openWorld(world, file);
  const logged: LogLine[] = [];
  const { app, listener, streams } = createServer({ db, log: (line) => logged.push(line) });
  const stop = () => {
    streams.close();
    close(db);
  };
  const request = async (path: string, call: Call = {}): Promise<Reply> => {
    const reply = await toReply(await app.request(path, toInit(call)));
    checkReply(call.method ?? "GET", path, reply);
    const failures = logged.filter((line) => line.level === "error");
    assert.deepEqual(failures, [], "nothing unexpected happened");
    return reply;
  };
  return { app, listener, streams, db, logged, request, stop };
}

type TestServer = Awaited<ReturnType<typeof startServer>>;

/** Servers whose content is still that of their world. */
const unchanged = new Map<string, TestServer>();
after(() => {
  for (const server of unchanged.values()) server.stop();
});

/** As `openServer`; what a test has not changed serves the next one with this world. */
async function shareServer(t: TestContext, world: World): Promise<TestServer> {
  const key = JSON.stringify(world.lines);
  const server = unchanged.get(key) ?? (await startServer(world));
  unchanged.delete(key);
  const changes = server.db.prepare<[], number>("SELECT total_changes()").pluck();
  const before = changes.get();
  t.after(() => {
    if (changes.get() === before) unchanged.set(key, server);
    else server.stop();
  });
  return server;
}

function toInit({ method = "GET", as = personal(1), headers = {}, body }: Call): RequestInit {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const sent = isRaw ? body : JSON.stringify(body);
  return {
    method,
    headers: {
      ...(as !== null && { authorization: as }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(sent !== undefined &&
        !(sent instanceof ReadableStream) && { "content-length": String(Buffer.byteLength(sent)) }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent as string }),
    ...(body instanceof ReadableStream && { duplex: "half" }),
  };
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** OpenFeature has its own format for the failure of a single flag. */
const OfrepError = v.union([ErrorBody, FlagFailure]);

function checkReply(method: string, path: string, { status, body, headers, text }: Reply) {
  const isBare = method === "HEAD" || (method === "OPTIONS" && status < 300) || status === 304;
  if (isBare) return assert.equal(text, "");
  const pathname = new URL(`http://host${path}`).pathname.replaceAll(/\/+/g, "/");
  const operation = operationAt(method, pathname);
  if (!operation && !path.startsWith("/api/")) return;
  if (status < 400 && operation?.response === NoBody) return assert.equal(text, "");
  if (status < 400 && operation?.isStream) return checkMessages(text, operation.response, headers);
  const isTable = operation?.rows !== undefined && headers.get("content-type")?.startsWith("text/csv");
  const textType = isTable ? "text/csv" : textTypeOf(operation?.response);
  const type = (status < 400 && textType) || "application/json";
  assert.equal(headers.get("content-type"), `${type}; charset=utf-8`);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("cache-control"), "private, no-cache");
  if (status >= 400 && status !== operation?.status)
    return assertMatches(operation?.tag === "OFREP" ? OfrepError : ErrorBody, body);
  assert.ok(operation, `${method} ${path} is an operation`);
  if (!isTable) assertMatches(operation.response, textType ? text : body);
}

/** Checks the messages that a stream begins with. */
function checkMessages(text: string, schema: v.GenericSchema, headers: Headers) {
  assert.equal(headers.get("content-type"), "text/event-stream");
  for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm)) assertMatches(schema, JSON.parse(data));
}

export const operationAt = operationFinder(OPERATIONS);

export function assertMatches(schema: v.GenericSchema, value: unknown) {
  const result = v.safeParse(schema, value);
  assert.deepEqual(
    result.issues?.map((issue) => [v.getDotPath(issue), issue.message]),
    undefined,
  );
}

/** Returns a function that gives the events recorded since, oldest first. */
export function watchLog(db: Database): () => Event[] {
  const newest = db.prepare<[], number>("SELECT ifnull(max(id), 0) FROM events").pluck();
  const since = db.prepare<[number], string>("SELECT wire FROM events WHERE id > ? ORDER BY id").pluck();
  const before = newest.get()!;
  return () => since.all(before).map((wire) => JSON.parse(wire) as Event);
}

/** Asserts exactly these events, comparing only the given keys. */
export function assertRecorded(events: readonly Event[], expected: ReadonlyArray<Partial<Event>>) {
  assert.deepEqual(
    events.map(({ type }) => type),
    expected.map(({ type }) => type),
  );
  for (const [index, keys] of expected.entries()) assert.partialDeepStrictEqual(events[index], keys);
}

/** Asserts that an operation records only what its contract declares. */
function assertDeclared(operation: Operation | undefined, events: readonly Event[]) {
  const { id = "nothing", records = [] } = operation ?? {};
  const undeclared = events.map(({ type }) => type).filter((type) => !records.some((one) => one === type));
  assert.deepEqual(undeclared, [], `${id} says what it records`);
}

export interface Scenario extends Call {
  name: string;
  /** Adds to the world's initial content. */
  given?: (world: World) => World;
  /** Appended to the path of the group, or a complete path. */
  url?: string;
  /** The status, or the status and the error's name. By default, 200. */
  expect?: number | [status: number, name: string];
  /** The expected events, each by the keys that matter; if omitted, none. */
  records?: ReadonlyArray<Partial<Event>>;
  /** Inspects the body of the reply. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
  see?: (body: any, reply: Reply) => void;
}

/** One test per scenario, each on a world as it is given: `scenarios("GET /api/…", [ … ])`. */
export function scenarios(operation: string, list: Scenario[]) {
  const [method = "GET", base = ""] = operation.split(" ");
  for (const {
    name,
    given = (world: World) => world,
    url = "",
    expect = 200,
    records = [],
    see,
    ...call
  } of list) {
    test(`${operation}: ${name}`, async (t) => {
      const { request, db } = await shareServer(t, given(createWorld()));
      const recorded = watchLog(db);
      const path = url.startsWith("/") ? url : base + url;
      const reply = await request(path, { method, ...call });
      const [status, error] = typeof expect === "number" ? [expect] : expect;
      assert.equal(reply.status, status, reply.text);
      if (error) assert.equal(reply.body.name, error);
      const events = recorded();
      assertRecorded(events, records);
      assertDeclared(operationAt(method, new URL(`http://host${path}`).pathname), events);
      see?.(reply.body, reply);
    });
  }
}
