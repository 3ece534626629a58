import { once } from "node:events";
import type { Server } from "node:http";
import net from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Connections } from "./listen.ts";

/** How long requests in flight may take once the server is stopping. */
const GRACE_MS = 5000;

/** How long the headers of a request may take to arrive once the server is stopping. */
const UNUSED_MS = 1000;

/** After this many event-loop turns without a request, everything that was sent has been read. */
const QUIET_TURNS = 10;

/**
 * Waits until every request sent so far has arrived. The system hands over connections in order, one per turn of the
 * event loop, so once our own connection is accepted all earlier ones are; what was sent on them is read in the turns
 * after that. Clients that arrive meanwhile are asked to open a new connection for their next request.
 */
export async function drainPending(server: Server, url: string) {
  const deadline = performance.now() + GRACE_MS;
  const accepted = new Set<number | undefined>();
  let requests = 0;
  server.on("connection", ({ remotePort }) => accepted.add(remotePort));
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false;
    requests++;
  });
  const { hostname, port } = new URL(url);
  const own = net.connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
  await once(own, "connect").catch(() => {}); // if it fails, the turns below have to be enough
  while (!own.destroyed && !accepted.has(own.localPort) && performance.now() < deadline) await setImmediate();
  own.destroy();
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < deadline; quiet++) {
    const before = requests;
    await setImmediate();
    if (requests > before) quiet = 0;
  }
}

/** Lets requests in flight finish, for a while, and ends all other connections. */
export async function closeServer(server: Server, connections: Connections) {
  const force = setTimeout(connections.endAll, GRACE_MS);
  const spare = setTimeout(connections.endUnused, UNUSED_MS);
  // A keep-alive connection is idle once its response is sent, and would wait for another request.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(tidy);
  clearTimeout(spare);
  clearTimeout(force);
}
