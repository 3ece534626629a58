import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { startBare } from "./bare.ts";
import { CLIENT, clientLines, FRONTEND } from "./client-dataset.ts";
import { frontend, HEAD, measureFetch, READS } from "./clients.ts";
import type { Context, Options, Version } from "./context.ts";
import { median, medianBy, megabytes, ratio, short, table } from "./figures.ts";
import { ask, type Figure, measure, type Request } from "./load.ts";
import { type Server, startScript, startServer, stop, usage } from "./process.ts";
import { measureStreams } from "./streams.ts";
import { importInto, serve } from "./version.ts";

/** What an edge costs, beside others in the same run. */
export async function run({ versions: [version], options, folder, print, progress }: Context) {
  const flags = Number(options.flags);
  const { file } = await importInto(path.join(folder, "edge.db"), version!, clientLines(flags));
  const server = await serve(version!, file);
  const edge = await startEdge(version!, server.url);
  const bare = await startBare();
  const rows = [];
  for (const read of READS) {
    progress(read.name);
    rows.push(await measureFetch(edge, bare, read, options));
  }
  await stop(bare);
  print(table(HEAD, rows));
  progress("frontend");
  print(`\n${await compareFrontends(edge, server, options)}`);
  progress("start");
  print(`\n${await measureStarts(version!, folder)}`);
  progress("streams");
  print(`\n${await measureStreams(edge, server, options)}`);
  await stop(edge);
  await stop(server);
}

export const startEdge = ({ script }: Version, upstream: string, ...options: string[]): Promise<Server> =>
  startServer([script, "edge", "--upstream", upstream, "--tokens", CLIENT, "--port", "0", ...options]);

/** All flags evaluated, each time for another user. */
async function compareFrontends(edge: Server, server: Server, { seconds, rounds }: Options) {
  const proxy = await startScript<{ url: string }>("proxy.ts", `${server.url}/api`, CLIENT, FRONTEND);
  const atProxy: Request = { ...frontend, path: frontend.path.replace("/api/frontend", "/proxy") };
  while ((await ask(proxy, atProxy)).status !== 200) await setTimeout(50);
  const load = { connections: 8, seconds: Number(seconds) };
  const all: Figure[][] = [[], [], []];
  for (let round = 0; round < Number(rounds); round++) {
    all[0]!.push(await measure(edge, frontend, load));
    all[1]!.push(await measure(server, frontend, load));
    all[2]!.push(await measure(proxy, atProxy, load));
  }
  await stop(proxy);
  const figures = all.map((one) => medianBy(one, ({ rate }) => rate));
  return table(
    ["all flags, evaluated", "per second", "CPU ms each", "× the proxy's rate"],
    figures.map(({ rate, cpu }, index) => [
      ["edge", "server", "Unleash Proxy"][index]!,
      short(rate),
      short(cpu / 1000),
      ratio(rate, figures[2]!.rate),
    ]),
  );
}

const STARTS = 5;
const MANY_FLAGS = 5000;

/** From a snapshot, while upstream is away, to the first answer; beside a start that knows nothing. */
async function measureStarts(version: Version, folder: string) {
  const { file } = await importInto(path.join(folder, "many.db"), version, clientLines(MANY_FLAGS));
  const server = await serve(version, file);
  const snapshot = path.join(folder, "edge.json");
  await stop(await startEdge(version, server.url, "--snapshot", snapshot));
  await stop(server);
  const starts = async (...options: string[]) => {
    const used = [];
    for (let count = 0; count < STARTS; count++) {
      const begin = performance.now();
      const edge = await startEdge(version, server.url, ...options);
      await ask(edge, READS[0]!);
      const ms = performance.now() - begin;
      used.push({ ms, ...(await usage(edge)) });
      await stop(edge);
    }
    return [
      short(median(used.map(({ cpu }) => cpu)) / 1000),
      short(median(used.map(({ ms }) => ms))),
      megabytes(median(used.map(({ memory }) => memory))),
    ];
  };
  return table(
    ["start without upstream", "CPU ms", "ms", "private MB"],
    [
      [`from a snapshot of ${MANY_FLAGS} flags`, ...(await starts("--snapshot", snapshot))],
      ["knowing nothing", ...(await starts())],
    ],
  );
}
