import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Server, startScript } from "./process.ts";

/*
 * A bare `node:http` server, which replays recorded responses: what any server needs at least.
 */

/** A response to replay. */
export interface Recorded {
  headers: Record<string, string>;
  /** Base64. */
  body: string;
}

export interface Order {
  name: string;
  recorded: Recorded;
}

/** Starts it in a process of its own. */
export const startBare = (): Promise<Server> => startScript<{ url: string }>("bare.ts");

interface Parts {
  headers: Record<string, string>;
  /** Those of a 304. */
  headersAlone: Record<string, string>;
  body: Buffer;
}

function serve() {
  const answers = new Map<string, Parts>();
  process.on("message", (order: Order | "usage") => {
    if (order === "usage") return; // for the probe
    const { headers, body } = order.recorded;
    const { "content-length": _, ...headersAlone } = headers;
    answers.set(order.name, { headers, headersAlone, body: Buffer.from(body, "base64") });
  });
  const server = http.createServer((request, response) => {
    const { headers, headersAlone, body } = answers.get(String(request.headers["x-case"]))!;
    const send = () => {
      if (request.headers["if-none-match"]) response.writeHead(304, headersAlone).end();
      else response.writeHead(200, headers).end(body);
    };
    if (request.method === "GET") return send();
    request.on("data", () => {}).on("end", send);
  });
  server.listen(0, "127.0.0.1", () => {
    process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}

if (import.meta.main) serve();
