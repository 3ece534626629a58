import http from "node:http";
import { CLIENT, SERVICE, switchPath } from "./client-dataset.ts";
import type { Subject } from "./load.ts";
import { type Pace, paceOf } from "./pace.ts";

const CHANGES = 60;
/** Discarded from the start of each series while the JIT warms up. */
const WARMUP = 20;

/** Latency of a full response when nothing has changed, and right after one flag was changed. */
export async function measureChange(flagstone: Subject): Promise<{ repeated: Pace; after: Pace }> {
  const [repeated, after]: [number[], number[]] = [[], []];
  for (let round = 0; round < CHANGES; round++) {
    repeated.push(await timedRequest(flagstone));
    await send(flagstone, "POST", switchPath(Math.floor(round / 2), round % 2 === 0 ? "off" : "on"), SERVICE);
    after.push(await timedRequest(flagstone));
  }
  const toPace = (times: number[]) => paceOf(times.slice(WARMUP), 1);
  return { repeated: toPace(repeated), after: toPace(after) };
}

async function timedRequest(flagstone: Subject): Promise<number> {
  const begin = performance.now();
  await send(flagstone, "GET", "/api/client/features", CLIENT);
  return performance.now() - begin;
}

const agent = new http.Agent({ keepAlive: true });

function send({ ports }: Subject, method: string, path: string, token: string): Promise<void> {
  const headers = { authorization: token, "unleash-client-spec": "5.2.0" };
  const options = { agent, port: ports.warm, host: "127.0.0.1", method, path, headers };
  return new Promise((resolve, reject) => {
    const request = http.request(options, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode! < 300) resolve();
        else reject(new Error(`${method} ${path} returned ${response.statusCode}`));
      });
    });
    request.on("error", reject).end();
  });
}
