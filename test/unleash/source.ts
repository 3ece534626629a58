import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";
import { runHere, temporaryFolder } from "../cli/run-cli.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

/** @returns whether it has taken care of the response, or will */
type Interference = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A server to pull from that listens, may be made to misbehave, and remembers what it was asked: `GET /api/…`. */
export async function openSource(t: TestContext, world: World = createWorld().project("shop")) {
  const { request, listener } = await openServer(t, world);
  const source = { asked: [] as string[], interfere: (() => false) as Interference, url: "", request };
  const server = http.createServer((request, response) => {
    source.asked.push(`${request.method} ${request.url}`);
    if (!source.interfere(request, response)) listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  source.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return source;
}

/** The path of a data file that does not exist yet. */
export const newFile = (t: TestContext) => path.join(temporaryFolder(t), "flags.db");

/** Runs `pull` as an administrator of a test's world, or with another token. */
export const pull = (url: string, file: string, args: readonly string[] = [], token = personal(1)) =>
  runHere(["pull", "--from", url, "--data", file, ...args], { env: { FLAGSTONE_TOKEN: token } });
