import type { Context } from "./context.ts";
import { ADMIN, eventsOfOneProject, PROJECTS } from "./dataset.ts";
import { many, megabytes, short, table } from "./figures.ts";
import { ask, measure, type Request } from "./load.ts";
import { type LoopDelay, type Server, stop, type Usage, usage } from "./process.ts";
import { companyOf, importInto, serve } from "./version.ts";

const READ: Request = { name: "events", path: "/api/admin/events", token: ADMIN };

/**
 * Long work, and how responsive the server stays meanwhile: another process imports half as many events again; then a
 * freshly started server streams them, twice.
 */
export async function run(context: Context) {
  const { versions, options, progress, print } = context;
  const [version] = versions;
  const { file } = await companyOf(context, version!);
  const server = await serve(version!, file);
  progress("importing beside the server");
  const work = importInto(file, version!, eventsOfOneProject(Number(options.events)));
  const beside = await delayDuring(work, server);
  await stop(server);
  progress("streaming a large project");
  const fresh = await serve(version!, file);
  await ask(fresh, READ); // keeps the cost of a first request out of the measurement
  const [first, again] = [await stream(fresh), await stream(fresh)];
  await stop(fresh);
  print(
    `A stream of ${megabytes(first.bytes)} MB added ${megabytes(first.added)} MB of memory, a second one ` +
      `${megabytes(again.added)} MB.\n`,
  );
  const delays: Array<[string, LoopDelay]> = [
    [`reads while another process imports ${many(Number(options.events) / 2)} events`, beside],
    ["one stream", first.loopDelay],
  ];
  const rows = delays.map(([name, { p50, p99, max }]) => [name, short(p50), short(p99), short(max)]);
  print(table(["event-loop delay, ms", "p50", "p99", "max"], rows));
}

async function delayDuring(work: Promise<unknown>, server: Server): Promise<LoopDelay> {
  const all: LoopDelay[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) all.push((await measure(server, READ, { connections: 4, seconds: 1 })).loopDelay);
  await done;
  return worst(all);
}

/** Reads a long response in full, and samples the server's usage once per megabyte. */
async function stream(server: Server) {
  const before = await usage(server);
  const seen: Usage[] = [];
  let bytes = 0;
  const url = `${server.url}/api/admin/events?project=${PROJECTS[0]}`;
  for await (const chunk of (await fetch(url, { headers: { authorization: ADMIN } })).body!) {
    bytes += chunk.length;
    if (bytes >= (seen.length + 1) * 1_000_000) seen.push(await usage(server));
  }
  seen.push(await usage(server));
  const most = Math.max(...seen.map(({ memory }) => memory));
  return { bytes, added: most - before.memory, loopDelay: worst(seen.map(({ loopDelay }) => loopDelay)) };
}

function worst(all: LoopDelay[]): LoopDelay {
  const highest = (part: keyof LoopDelay) => Math.max(...all.map((loopDelay) => loopDelay[part]));
  return { p50: highest("p50"), p99: highest("p99"), max: highest("max") };
}
