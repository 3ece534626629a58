import { once } from "node:events";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Order, Report } from "./applications.ts";
import { clientLines, toggle } from "./client-dataset.ts";
import type { Context } from "./context.ts";
import { startEdge } from "./edge.ts";
import { many, megabytes, short, table } from "./figures.ts";
import { send } from "./load.ts";
import { messageOf, type Server, startScript, stop, type Usage, usage } from "./process.ts";
import { now } from "./receiver.ts";
import { importInto, serve } from "./version.ts";

const EDGES = 4;

/** How long memory and processor time are looked at, and how long the server is away, in milliseconds. */
const CALM_MS = 30_000;
const AWAY_MS = 60_000;

/** One server, edges in front of it, and many applications with a connection each, through good and bad times. */
export async function run({ versions: [version], options, folder, print, progress }: Context) {
  const flags = Number(options.flags);
  const { file } = await importInto(path.join(folder, "scaling.db"), version!, clientLines(flags));
  let server = await serve(version!, file);
  const { port } = new URL(server.url);
  const open = (index: number, at = "0") =>
    startEdge(version!, server.url, "--port", at, "--snapshot", path.join(folder, `${index}.json`));
  const edges = await Promise.all(Array.from({ length: EDGES }, (_, index) => open(index)));
  const each = Math.ceil(Number(options.sdks) / EDGES);
  const groups = await Promise.all(
    edges.map(({ url }) => startScript("applications.ts", url, String(each), options.interval)),
  );
  const rows: string[][] = [];
  let errors = 0;
  const note = async (what: string, act: () => Promise<unknown>) => {
    progress(what);
    const reports = await reportsAfter(groups, act);
    const sum = reports.reduce((all, report) => all + report.errors, 0);
    rows.push([what, longest(reports, "streams"), longest(reports, "polls"), many(sum - errors)]);
    errors = sum;
  };
  await usage(server);
  await note("all start at once", async () => {});
  const starting = await usageOf(server, edges);
  await setTimeout(CALM_MS);
  const calm = await usageOf(server, edges);
  let turn = 0;
  const change = () => send(server, toggle(turn++, flags));
  for (let count = 0; count < 3; count++) await note("a change", change);
  await note("a change, and an edge is killed and started again", async () => {
    await change();
    edges[0]!.child.kill("SIGKILL");
    await once(edges[0]!.child, "exit");
    edges[0] = await open(0, new URL(edges[0]!.url).port);
  });
  progress("the server is away");
  await stop(server);
  await setTimeout(AWAY_MS);
  server = await serve(version!, file, "--port", port);
  await note("a change, once the server is back after a minute", change);
  print(table(["until all applications have flags", "streams s", "polls s", "errors"], rows));
  print(`\n${usageTable(each * EDGES, starting, calm)}`);
  for (const one of [...groups, ...edges, server]) await stop(one);
}

/** Lets groups of applications expect flags after something, and waits until all have them. */
async function reportsAfter(groups: ReadonlyArray<Pick<Server, "child">>, act: () => Promise<unknown>) {
  const reports = groups.map(({ child }) => messageOf<Report>(child));
  for (const { child } of groups) child.send({ since: now() } satisfies Order);
  await act();
  return Promise.all(reports);
}

const longest = (reports: readonly Report[], kind: "streams" | "polls") =>
  short(Math.max(...reports.map((one) => one[kind].max)) / 1000);

interface Used {
  server: Usage;
  edges: Usage[];
}

const usageOf = async (server: Server, edges: readonly Server[]): Promise<Used> => ({
  server: await usage(server),
  edges: await Promise.all(edges.map(usage)),
});

function usageTable(applications: number, starting: Used, calm: Used) {
  const thousands = applications / 1000;
  const all = ({ edges }: Used, key: "cpu" | "memory") => edges.reduce((sum, used) => sum + used[key], 0);
  const share = (cpu: number) => `${((100 * cpu) / 1000 / CALM_MS).toFixed(2)} %`;
  return table(
    [`${many(applications)} applications at ${EDGES} edges`, "edges, per 1,000", "server, in all"],
    [
      ["memory", `${megabytes(all(calm, "memory") / thousands)} MB`, `${megabytes(calm.server.memory)} MB`],
      ["of a core, calm", share(all(calm, "cpu") / thousands), share(calm.server.cpu)],
      [
        "processor time of the start",
        `${short(all(starting, "cpu") / 1000 / thousands)} ms`,
        `${short(starting.server.cpu / 1000)} ms`,
      ],
    ],
  );
}
