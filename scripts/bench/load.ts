import http from "node:http";
import { setTimeout } from "node:timers/promises";
import autocannon from "autocannon";
import { type Pace, paceOf } from "./figures.ts";
import { type LoopDelay, type Server, usage } from "./process.ts";

/** A request to measure. */
export interface Request {
  name: string;
  path: string;
  token: string;
  /** GET, or POST with a body. */
  method?: string;
  /** In addition to the token. */
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export interface Load {
  connections: number;
  seconds: number;
}

/** The result of one measurement. */
export interface Figure extends Pace {
  /** CPU time of the server, in microseconds per request. */
  cpu: number;
  loopDelay: LoopDelay;
  /** Private bytes afterwards. */
  memory: number;
}

const methodOf = ({ method, body }: Request) => method ?? (body === undefined ? "GET" : "POST");

const headersOf = ({ name, token, headers, body }: Request) => ({
  authorization: token,
  "x-case": name,
  ...headers,
  ...(body !== undefined && { "content-type": "application/json" }),
});

/** Sends a request over several connections, again and again. */
export async function measure(server: Server, request: Request, load: Load): Promise<Figure> {
  await settled(server);
  const times: number[] = [];
  const options: autocannon.Options = {
    url: server.url + request.path,
    connections: load.connections,
    duration: load.seconds,
    sampleInt: Math.min(1000, load.seconds * 1000), // autocannon stops at the next sample
    timeout: 60,
    method: methodOf(request) as "GET",
    headers: headersOf(request),
    ...(request.body !== undefined && { body: request.body }),
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, all) => (error ? reject(error) : resolve(all)));
    instance.on("response", (_client, _status, _bytes, milliseconds) => times.push(milliseconds));
  });
  const { cpu, ...used } = await usage(server);
  const failed = result.non2xx - (result.statusCodeStats?.["304"]?.count ?? 0) + result.errors;
  if (failed > 0) throw new Error(`${request.name}: ${failed} of ${times.length} failed`);
  if (times.length === 0) return measure(server, request, { ...load, seconds: 4 * load.seconds }); // too short
  return { ...paceOf(times, result.duration), cpu: cpu / times.length, ...used };
}

/** Waits until the server has dealt with requests left over from the previous load. */
async function settled(server: Server) {
  do {
    await usage(server);
    await setTimeout(20);
  } while ((await usage(server)).cpu > 5000);
}

const agent = new http.Agent({ keepAlive: true });

/** A response, whose body is still compressed if it was asked for that. */
export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** One request, without load. `node:http` rather than `fetch`, whose overhead would be measured too. */
export function ask(server: Server, request: Request): Promise<Answer> {
  const options = { agent, method: methodOf(request), headers: headersOf(request) };
  return new Promise((resolve, reject) => {
    const sent = http.request(server.url + request.path, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && error.code === "ECONNRESET"; // the server closed an idle connection
      if (isStale) resolve(ask(server, request));
      else reject(error);
    });
    sent.end(request.body);
  });
}

/** The same for a request that has to succeed. @throws Error if it does not */
export async function send(server: Server, request: Request): Promise<Answer> {
  const answer = await ask(server, request);
  if (answer.status < 300) return answer;
  throw new Error(`${methodOf(request)} ${request.path} returned ${answer.status}: ${answer.body}`);
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** How many requests a cost is taken from at least, and at most. */
const [FEWEST, MOST] = [15, 400];

/**
 * The cost of a request that is alone, each time after `before`, whose own cost is not counted. CPU time is the median,
 * which leaves out what happens now and then, such as garbage collection.
 */
export async function costOf(
  server: Server,
  request: Request,
  seconds: number,
  before = async () => {},
): Promise<Figure> {
  const [times, costs, delays]: [number[], number[], LoopDelay[]] = [[], [], []];
  const asking = await costOfAsking(server);
  const end = performance.now() + seconds * 1000;
  let memory = 0;
  while (times.length < FEWEST || (performance.now() < end && times.length < MOST)) {
    await before();
    await usage(server);
    times.push(await timed(() => send(server, request)));
    const used = await usage(server);
    costs.push(used.cpu - asking);
    delays.push(used.loopDelay);
    memory = used.memory;
  }
  const highest = (part: keyof LoopDelay) => Math.max(...delays.map((delay) => delay[part]));
  const loopDelay = { p50: highest("p50"), p99: highest("p99"), max: highest("max") };
  return { ...paceOf(times), cpu: paceOf(costs).p50, loopDelay, memory };
}

/** The CPU time between two reports with nothing in between. */
async function costOfAsking(server: Server) {
  const costs: number[] = [];
  while (costs.length < FEWEST) costs.push((await usage(server)).cpu);
  return paceOf(costs).p50;
}
