import { once } from "node:events";
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

type Answer = number | ((request: IncomingMessage, response: ServerResponse) => void);

/** A server on loopback that records requests, and responds as told. */
export async function openReceiver(t: TestContext, answer: Answer = 200) {
  const received: Received[] = [];
  const receiver = {
    received,
    answer,
    url: "",
    /** Resolves when this many requests have arrived. */
    has: (count: number) => until(() => received.length >= count, `${count} deliveries`),
  };
  const server = http.createServer(collect(received, () => receiver.answer));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return receiver;
}

const collect =
  (received: Received[], answerOf: () => Answer): RequestListener =>
  async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    try {
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
    } catch {
      return;
    }
    received.push({ path: request.url!, headers: request.headers, body });
    const answer = answerOf();
    if (typeof answer === "number") response.writeHead(answer).end();
    else answer(request, response);
  };

/** Resolves once the condition holds; fails after a timeout. */
export async function until(holds: () => unknown, what = "the condition", ms = 30_000) {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Timed out waiting for ${what}`);
    await wait(5);
  }
}
