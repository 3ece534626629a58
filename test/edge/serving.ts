import type { TestContext } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { close } from "../../src/db/open.ts";
import { createEdge, type EdgeOptions } from "../../src/edge/edge.ts";
import { type Listening, listen } from "../../src/http/node-server.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { newDatabase, openServer } from "../support/server.ts";
import { CLIENT, createWorld } from "../support/world.ts";

export const world = () =>
  createWorld()
    .project("shop")
    .add("segment", {
      id: 1,
      name: "staff",
      constraints: [{ contextName: "userId", operator: "IN", values: ["7"] }],
    })
    .feature("cart", "shop", {
      environments: [
        { name: "development", enabled: true, strategies: [{ id: "s", name: "default", segments: [1] }] },
      ],
    })
    .feature("search", "shop", {
      environments: [{ name: "development", enabled: true, strategies: [{ id: "t", name: "default" }] }],
    });

/** A token that an application has been given, as a line of the world; by default for `shop`. */
export const tokenFor = (secret: string, { type = "client", projects = ["shop"] }: Partial<Given> = {}) =>
  ({ type, name: secret, hash: hashSecret(secret), environment: "development", projects }) as const;

interface Given {
  type: "client" | "frontend";
  projects: string[];
}

const HOST = { host: "127.0.0.1", port: 0, log: () => {} };

/** A server on a socket, whose line can be cut, or meddled with. */
export async function openUpstream(t: TestContext, given = world()) {
  const server = await openServer(t, given);
  const asked: string[] = [];
  const line = { via: server.listener };
  const listening = await listen((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    return line.via(request, response);
  }, HOST);
  t.after(() => listening.close());
  const cut = (isIt: boolean) => {
    line.via = isIt ? (request) => void request.destroy() : server.listener;
  };
  return { ...server, asked, url: listening.url, cut, line };
}

/** An edge on a socket, with short intervals. */
export async function openEdge(t: TestContext, url: string, options: Partial<EdgeOptions> = {}) {
  const db = newDatabase();
  const logged: LogLine[] = [];
  const edge = createEdge({
    db,
    log: (line) => logged.push(line),
    upstream: { url, options: {}, timeoutMs: 10_000 },
    tokens: [CLIENT],
    pollMs: 20,
    usageMs: 20,
    checkMs: 20,
    ...options,
  });
  await edge.ready;
  const listening: Listening = await listen(edge.listener, HOST);
  let isOpen = true;
  const stop = async () => {
    if (!isOpen) return;
    isOpen = false;
    edge.streams.close();
    await listening.close();
    await edge.stop();
    close(db);
  };
  t.after(stop);
  return { url: listening.url, logged, stop };
}

export const get = async (url: string, token: string, headers = {}) => {
  const response = await fetch(url, { headers: { authorization: token, ...headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

/** Segments apart, as newer SDKs want them. */
export const SPEC = { "unleash-client-spec": "5.2.0" };
