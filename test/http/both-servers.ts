import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { close, open } from "../../src/db/open.ts";
import type { Listener } from "../../src/http/listener.ts";
import { ResponseCache } from "../../src/http/response-cache.ts";
import { createServer } from "../../src/server/app.ts";
import { importLines, newDatabase } from "../support/server.ts";
import { createWorld, personal, SERVICE } from "../support/world.ts";

/*
 * The danger of a cache is a stale response. The same file is served with and without a cache, and changed in every
 * possible way, by the serving process and by another connection.
 */

export const world = () =>
  createWorld()
    .project("open")
    .project("other")
    .member("open", 2, 4)
    .group("crew", [3])
    .feature("f", "open", {
      environments: [{ name: "development", strategies: [{ id: "s", name: "default" }] }],
    })
    .feature("g", "other", { createdByUserId: 3 })
    .event({ project: "open" })
    .event({ project: "other" })
    .integration()
    .integrationEvent()
    .notification();

/** Every read that returns something. */
export const READS = [
  "events",
  "events?project=open",
  "projects/open/features",
  "projects/open/features/f/environments/development/strategies",
  "personal-dashboard",
  "personal-dashboard/open",
  "user-admin/3",
  "user-admin/3/permissions?project=open",
  "user-admin",
  "user-admin/access",
  "user",
  "user/profile",
  "user/roles?projectId=open",
  "user/tokens",
  "api-tokens",
  "projects/open/api-tokens",
  "notifications",
  "addons/1/events",
  "projects",
  "projects/open/features/f",
  "projects/open/features/f/environments/development",
  "events/f",
  'events/search {"query":"feature"}',
  'events/search {"project":"open"}',
];

/** A path, with a body for a POST. */
export function toRequest(read: string, headers: Record<string, string>): [path: string, init: RequestInit] {
  const [path = "", body] = read.split(" ");
  if (body === undefined) return [path, { headers }];
  return [path, { method: "POST", body, headers: { ...headers, "content-type": "application/json" } }];
}

export const CALLERS = [personal(1), personal(2), personal(3), SERVICE];

interface Sent {
  method?: string;
  path: string;
  as?: string;
  body?: object;
}

/** The same file served with a cache, and by `plain` without one; `other` is another process's connection. */
export async function openBoth(t: TestContext | undefined) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-answers-"));
  const file = path.join(folder, "flags.db");
  const db = newDatabase(file);
  await importLines(db, world().lines);
  const other = open(file);
  const log = () => {};
  let [misses, found] = [0, 0];
  class Counted extends ResponseCache {
    override get(...input: Parameters<ResponseCache["get"]>) {
      const answer = super.get(...input);
      if (answer) found++;
      return answer;
    }
    override before(listener: Listener) {
      return super.before((request, response) => {
        misses++;
        return listener(request, response);
      });
    }
  }
  const server = http.createServer(createServer({ db, log, cache: new Counted(db) }).listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { app: plain } = createServer({ db, log });
  const { app: elsewhere } = createServer({ db: other, log });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const done = () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
    for (const connection of [db, other]) close(connection);
    fs.rmSync(folder, { recursive: true });
  };
  t?.after(done);
  const get = (read: string, headers: Record<string, string>) => {
    const [path, init] = toRequest(read, headers);
    return fetch(`${url}/api/admin/${path}`, init);
  };
  const agent = new http.Agent({ keepAlive: true });
  /** The same with less work than `fetch`, as a response that has only its status, ETag and body. */
  const getQuickly = async (read: string, sent: Record<string, string>) => {
    const [path, { method = "GET", headers, body }] = toRequest(read, { ...sent, "accept-encoding": "gzip" });
    const options = { method, agent, headers: headers as Record<string, string> };
    const request = http.request(`${url}/api/admin/${path}`, options);
    const [response]: IncomingMessage[] = await once(request.end(body), "response");
    const bytes = await buffer(response!);
    const text = response!.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    return new Response(text, {
      status: response!.statusCode!,
      headers: { etag: response!.headers.etag ?? "" },
    });
  };
  /** Makes a change through the server with the cache, or through another process. */
  const send = ({ method = "POST", path, as = personal(1), body }: Sent, isOwn = true) => {
    const init = {
      method,
      headers: { authorization: as, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    };
    return isOwn ? fetch(url + path, init) : elsewhere.request(path, init);
  };
  return { db, other, plain, get, getQuickly, send, done, misses: () => misses, found: () => found };
}

export const seen = async (response: Response) => {
  const text = await response.text();
  // Every error has an id of its own, and last-seen times may lag.
  const timeless = text.replaceAll(/"seenAt":[^,}]+/g, `"seenAt":0`);
  return [
    response.status,
    timeless === text && (response.headers.get("etag") ?? "").replace("W/", ""), // weak if fetch has asked for compression
    response.status < 400 ? timeless : JSON.parse(text).message,
  ];
};

/** Asserts that no response is stale; the caller names the change. */
export async function requireFresh(
  { plain, getQuickly }: Awaited<ReturnType<typeof openBoth>>,
  after: string,
) {
  for (const authorization of CALLERS) {
    for (const read of READS) {
      const [path, init] = toRequest(read, { authorization });
      const expected = await seen(await plain.request(`/api/admin/${path}`, init));
      for (const time of ["first", "repeated"]) {
        const where = `${read} by ${authorization.slice(0, 6)}…${authorization.slice(-2)}, ${time} after ${after}`;
        assert.deepEqual(await seen(await getQuickly(read, { authorization })), expected, where);
      }
    }
  }
}
