import http from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A receiver in a process of its own, for deliveries to be measured with. It answers so many a second at the most, and
 * says how many have come, or of each when it came.
 */

/** @param rate how many are answered a second; 0 for as many as come */
export type Order = { kind: "answer"; rate: number } | { kind: "count" } | { kind: "tell"; isTold: boolean };

/** What it is asked for: how many have come since it was asked last, or when one came, see `now`. */
export type Told = { port: number } | { count: number } | { cameAt: number };

/** A clock that all processes of the machine share, in milliseconds. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

function receive() {
  let [rate, begin, slots, count, isTold] = [0, 0, 0, 0, false];
  /** Those that are late are answered at once, so that the rate is kept where it can be. */
  const inTurn = (answer: () => void) => {
    const waitMs = rate === 0 ? 0 : begin + (++slots * 1000) / rate - now();
    if (waitMs <= 0) answer();
    else setTimeout(answer, waitMs);
  };
  const tell = (told: Told) => process.send!(told);
  const server = http.createServer((request, response) => {
    const cameAt = now();
    request.resume().on("end", () => {
      count++;
      if (isTold) tell({ cameAt });
      inTurn(() => response.writeHead(200, { "content-length": 0 }).end());
    });
  });
  process.on("message", (order: Order) => {
    if (order.kind === "tell") isTold = order.isTold;
    if (order.kind === "answer") [rate, begin, slots] = [order.rate, now(), 0];
    if (order.kind !== "count") return;
    tell({ count });
    count = 0;
  });
  process.once("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => tell({ port: (server.address() as AddressInfo).port }));
}

if (import.meta.main) receive();
