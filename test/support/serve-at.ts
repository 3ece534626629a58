import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** The address of a server at a free port, whose handler is made once its address is known. */
export async function serveAt(
  t: TestContext,
  host: string,
  handlerFor: (url: string) => http.RequestListener,
) {
  const server = http.createServer((request, response) => handler(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const handler = handlerFor(url);
  return url;
}
