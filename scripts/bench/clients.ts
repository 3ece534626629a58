import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Order, startBare } from "./bare.ts";
import { CLIENT, clientLines, FRONTEND, flagName, toggle } from "./client-dataset.ts";
import { type FleetFigures, measureFleet } from "./client-fleet.ts";
import type { Context, Options } from "./context.ts";
import { medianBy, paceOf, ratio, short, table } from "./figures.ts";
import { type Figure, measure, type Request, send, timed } from "./load.ts";
import { type Server, stop, usage } from "./process.ts";
import { conditionalOf, record, usageReport } from "./reads.ts";
import { importInto, serve } from "./version.ts";

const SPEC = { "unleash-client-spec": "5.2.0" };

const features: Request = { name: "features", path: "/api/client/features", token: CLIENT, headers: SPEC };

/** The request an SDK makes, uncompressed and compressed. */
export const READS: readonly Request[] = [
  features,
  { ...features, name: "features, gzip", headers: { ...SPEC, "accept-encoding": "gzip" } },
];

export const frontend: Request = {
  name: "frontend",
  path: "/api/frontend?userId=7&country=DE",
  token: FRONTEND,
};

/** What applications cost: fetching flags, reporting usage, and polling by the thousand. */
export async function run({ versions: [version], options, folder, print, progress }: Context) {
  const flags = Number(options.flags);
  const { file } = await importInto(path.join(folder, "clients.db"), version!, clientLines(flags));
  const [server, bare] = [await serve(version!, file), await startBare()];
  const rows = [];
  for (const read of READS) {
    progress(read.name);
    rows.push(await measureFetch(server, bare, read, options));
  }
  print(table(HEAD, rows));
  const load = { connections: 8, seconds: Number(options.seconds) };
  const { cpu } = await measure(server, frontend, load);
  const { repeated, after } = await fetchTimes(server, flags);
  progress("usage reports");
  const reports = await measureReports(server, bare, load.seconds);
  await stop(bare);
  print(`
- frontend, all flags evaluated: ${short(cpu / 1000)} ms of CPU time per request
- full response: ${short(repeated.p50)} ms when repeated, ${short(after.p50)} ms after a change to one flag (p99: ${short(after.p99)})
- usage report of 20 flags: ${short(reports.each / 1000)} ms of CPU time, including its share of the flush; a bare server that reads it takes ${short(reports.bare / 1000)} ms. Event-loop delay of the flush: max ${short(reports.loopDelay)} ms`);
  if (Number(options.sdks) > 0) print(fleetLine(options, await measureFleet(server, options)));
  await stop(server);
}

export const HEAD = ["", "kB", "bare µs", "warm µs", "× bare", "bare 304 µs", "304 µs", "× bare"];

/** Relative to a bare server that sends the same bytes; interleaved, so that noise on the machine affects both. */
export async function measureFetch(server: Server, bare: Server, read: Request, options: Options) {
  const recorded = await record(server, read);
  bare.child.send({ name: read.name, recorded } satisfies Order);
  const [few, more] = [8, 32].map((connections) => ({ connections, seconds: Number(options.seconds) }));
  const conditional = conditionalOf(read, recorded)!;
  const columns = [
    () => measure(bare, read, few!),
    () => measure(server, read, few!),
    () => measure(bare, conditional, more!),
    () => measure(server, conditional, more!),
  ];
  const figures: Figure[][] = columns.map(() => []);
  for (let round = 0; round < Number(options.rounds); round++)
    for (const [index, column] of columns.entries()) figures[index]!.push(await column());
  const [ofBare, warm, bare304, notModified] = figures.map((all) => medianBy(all, ({ cpu }) => cpu).cpu) as [
    number,
    number,
    number,
    number,
  ];
  const bytes = Number(recorded.headers["content-length"]);
  return [
    ...[read.name, (bytes / 1000).toFixed(1), short(ofBare), short(warm), ratio(warm, ofBare)],
    ...[short(bare304), short(notModified), ratio(notModified, bare304)],
  ];
}

const CHANGES = 60;
/** Discarded from the start of each series while V8 compiles. */
const WARM_UP = 20;

/** Latency of a full response when nothing has changed, and right after one flag was changed. */
async function fetchTimes(server: Server, flags: number) {
  const [repeated, after]: [number[], number[]] = [[], []];
  const fetchAll = () => timed(() => send(server, features));
  for (let turn = 0; turn < CHANGES; turn++) {
    repeated.push(await fetchAll());
    await send(server, toggle(turn, flags));
    after.push(await fetchAll());
  }
  return { repeated: paceOf(repeated.slice(WARM_UP)), after: paceOf(after.slice(WARM_UP)) };
}

/** By then the collected usage has been flushed. */
const FLUSHED_MS = 4000;

/** Usage reports, relative to a bare server that only reads the request; includes flushing the usage to disk. */
async function measureReports(server: Server, bare: Server, seconds: number) {
  const report = { ...usageReport(flagName), token: CLIENT };
  bare.child.send({ name: report.name, recorded: { headers: {}, body: "" } } satisfies Order);
  const load = { connections: 8, seconds: 4 * seconds }; // V8 needs longer to compile
  const alone = await measure(bare, report, load);
  await measure(server, report, load);
  await setTimeout(FLUSHED_MS);
  const { rate, cpu } = await measure(server, report, load);
  await usage(server);
  await setTimeout(FLUSHED_MS);
  const writing = await usage(server);
  return {
    bare: alone.cpu,
    each: cpu + writing.cpu / (rate * load.seconds),
    loopDelay: writing.loopDelay.max,
  };
}

const fleetLine = (
  { sdks, interval }: Options,
  { polls, full, changes, core, loopDelay, isPinned }: FleetFigures,
) =>
  `- ${Number(sdks).toLocaleString("en")} SDKs polling every ${interval} s, ${changes} changes meanwhile: ` +
  `p50 ${short(polls.p50)}, p99 ${short(polls.p99)}, max ${short(polls.max)} ms; ${polls.rate.toFixed(0)} polls per ` +
  `second, ${full} with all flags; ${(100 * core).toFixed(0)} % of a core${isPinned ? ", pinned to one" : ""}; ` +
  `event-loop delay: max ${short(loopDelay)} ms`;
