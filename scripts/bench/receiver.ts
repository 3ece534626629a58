import http from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A webhook receiver in its own process, for the delivery benchmark. It limits how many requests it answers a second,
 * and reports how many it received, or when each arrived.
 */

/** `rate` is the limit of requests per second; 0 for no limit. */
export type Order = { kind: "answer"; rate: number } | { kind: "count" } | { kind: "notify"; isOn: boolean };

/** `count` is since the last `count` order; `receivedAt` is by the clock of `now`. */
export type Message = { url: string } | { count: number } | { receivedAt: number };

/** A clock shared by all processes of the machine, in milliseconds. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

function receive() {
  let [rate, begin, slots, count, isNotifying] = [0, 0, 0, 0, false];
  /** Requests behind schedule are answered at once, to keep up the rate. */
  const inTurn = (answer: () => void) => {
    const waitMs = rate === 0 ? 0 : begin + (++slots * 1000) / rate - now();
    if (waitMs <= 0) answer();
    else setTimeout(answer, waitMs);
  };
  const send = (message: Message) => process.send!(message);
  const server = http.createServer((request, response) => {
    const receivedAt = now();
    request.resume().on("end", () => {
      count++;
      if (isNotifying) send({ receivedAt });
      inTurn(() => response.writeHead(200, { "content-length": 0 }).end());
    });
  });
  process.on("message", (order: Order | "usage") => {
    if (order === "usage") return; // for the probe
    if (order.kind === "notify") isNotifying = order.isOn;
    if (order.kind === "answer") [rate, begin, slots] = [order.rate, now(), 0];
    if (order.kind !== "count") return;
    send({ count });
    count = 0;
  });
  process.once("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () =>
    send({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }),
  );
}

if (import.meta.main) receive();
