import type { ChildProcess } from "node:child_process";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import autocannon from "autocannon";
import type { Case } from "./cases.ts";
import { messageOf, startScript } from "./child.ts";
import type { LoopDelay, Order, Recorded, Usage } from "./server.ts";

/** The process under test, and its ports by name. */
export interface Subject {
  child: ChildProcess;
  ports: Record<string, number>;
}

export async function start(role: "flagstone" | "delivering" | "bare", file: string): Promise<Subject> {
  const child = startScript("server.ts", [role, file]);
  return { child, ports: await messageOf<Subject["ports"]>(child) };
}

export function usage({ child }: Subject): Promise<Usage> {
  child.send({ kind: "usage" } satisfies Order);
  return messageOf<Usage>(child);
}

/** One request, without load. */
export function ask(
  { ports }: Subject,
  port: string,
  { path: url, token, body }: Case,
  init: RequestInit = {},
) {
  const post = body === undefined ? {} : { method: "POST", body };
  const headers = { authorization: token, "content-type": "application/json" };
  return fetch(`http://127.0.0.1:${ports[port]}${url}`, { headers, ...post, ...init });
}

/** Records a response for the bare server to replay. */
export async function record(subject: Subject, testCase: Case): Promise<Recorded> {
  const response = await ask(subject, "warm", testCase);
  const text = await response.text();
  if (!response.ok) throw new Error(`${testCase.path} returned ${response.status}: ${text}`);
  const kept = ["content-type", "cache-control", "x-content-type-options", "etag"];
  const entries = kept
    .map((name) => [name, response.headers.get(name)])
    .filter(([, value]) => value !== null);
  return {
    headers: { ...Object.fromEntries(entries), "content-length": String(Buffer.byteLength(text)) },
    body: text,
    rows: testCase.rows,
  };
}

/** Waits until the server has dealt with requests left over from the previous load. */
async function settled(subject: Subject) {
  do {
    await usage(subject);
    await setTimeout(20);
  } while ((await usage(subject)).cpu > 5000);
}

export interface Load {
  connections: number;
  seconds: number;
  etag?: string | undefined;
}

/** The result of one measurement. */
export interface Figure {
  /** Requests per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU time of the server, in microseconds per request. */
  cpu: number;
  loopDelay: LoopDelay;
  /** Resident bytes afterwards. */
  memory: number;
}

export async function measure(subject: Subject, port: string, testCase: Case, load: Load): Promise<Figure> {
  await settled(subject);
  const times: number[] = [];
  const options: autocannon.Options = {
    url: `http://127.0.0.1:${subject.ports[port]}${testCase.path}`,
    connections: load.connections,
    duration: load.seconds,
    sampleInt: Math.min(1000, load.seconds * 1000), // autocannon stops at the next sample
    timeout: 60,
    headers: {
      authorization: testCase.token,
      "x-case": testCase.name,
      ...testCase.headers,
      ...(testCase.body !== undefined && { "content-type": "application/json" }),
      ...(load.etag !== undefined && { "if-none-match": load.etag }),
    },
    ...(testCase.body !== undefined && { method: "POST", body: testCase.body }),
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, all) => (error ? reject(error) : resolve(all)));
    instance.on("response", (_client, _status, _bytes, milliseconds) => times.push(milliseconds));
  });
  const used = await usage(subject);
  const failed = result.non2xx - (result.statusCodeStats?.["304"]?.count ?? 0) + result.errors;
  if (failed > 0) throw new Error(`${testCase.name}: ${failed} of ${times.length} failed`);
  if (times.length === 0) return measure(subject, port, testCase, { ...load, seconds: 4 * load.seconds }); // too short
  return toFigure(times, result.duration, used);
}

/** Time to first byte of a long response, one request at a time; the rest is not read. */
export async function measureFirstByte(
  subject: Subject,
  port: string,
  testCase: Case,
  seconds: number,
): Promise<Figure> {
  await usage(subject);
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const begin = performance.now();
    const stop = new AbortController();
    const response = await ask(subject, port, testCase, { signal: stop.signal });
    await response.body!.getReader().read();
    times.push(performance.now() - begin);
    stop.abort();
  }
  return toFigure(times, seconds, await usage(subject));
}

function toFigure(times: number[], seconds: number, { cpu, loopDelay, memory }: Usage): Figure {
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(part * (times.length - 1))]!;
  return {
    rate: times.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    cpu: cpu / times.length,
    loopDelay,
    memory,
  };
}

/** The round with the median CPU time, the figure least affected by other work on the machine. */
export const median = (figures: Figure[]): Figure =>
  figures.toSorted((a, b) => a.cpu - b.cpu)[Math.floor(figures.length / 2)]!;
