import path from "node:path";
import { type Case, casesFor } from "./cases.ts";
import { eventsOfOneProject } from "./dataset.ts";
import { ask, measure, type Subject, start, usage } from "./load.ts";
import { importInto, writeLines } from "./prepare.ts";
import type { LoopDelay, Usage } from "./server.ts";

/** Long-running work, and how responsive the server stays meanwhile. */
export interface Long {
  /** Another process imports half as many events again while the server answers reads. */
  imported: { events: number; loopDelay: LoopDelay };
  /** Then a freshly started server streams them in full, twice. */
  streamed: Streamed;
  again: Streamed;
}

interface Streamed {
  bytes: number;
  /** The peak increase in memory, in bytes. */
  added: number;
  loopDelay: LoopDelay;
}

export async function measureLong(
  events: number,
  file: string,
  folder: string,
  served: Subject,
  progress: (text: string) => void,
): Promise<Long> {
  const cases = casesFor(events);
  const [read, long] = [cases[0]!, cases.find(({ isLong }) => isLong)!];
  const source = await writeLines(eventsOfOneProject(events), path.join(folder, "more.jsonl"));
  progress("importing beside the server");
  const loopDelay = await delayDuring(
    importInto(source, file, () => {}),
    served,
    read,
  );
  progress("streaming a large project");
  const fresh = await start("flagstone", file);
  await ask(fresh, "warm", read).then((response) => response.text()); // keep the cost of a first request out of the measurement
  const [streamed, again] = [await stream(fresh, long), await stream(fresh, long)];
  fresh.child.kill();
  return { imported: { events: Math.floor(events / 2), loopDelay }, streamed, again };
}

async function delayDuring(work: Promise<unknown>, served: Subject, read: Case): Promise<LoopDelay> {
  const all: LoopDelay[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) all.push((await measure(served, "warm", read, { connections: 4, seconds: 1 })).loopDelay);
  await done;
  return worst(all);
}

/** Reads a long response in full, and samples the server's usage once per megabyte. */
async function stream(served: Subject, long: Case): Promise<Streamed> {
  const before = await usage(served);
  const seen: Usage[] = [];
  let bytes = 0;
  for await (const chunk of (await ask(served, "warm", long)).body!) {
    bytes += chunk.length;
    if (bytes >= (seen.length + 1) * 1_000_000) seen.push(await usage(served));
  }
  seen.push(await usage(served));
  const peak = Math.max(...seen.map(({ memory }) => memory));
  return { bytes, added: peak - before.memory, loopDelay: worst(seen.map(({ loopDelay }) => loopDelay)) };
}

function worst(all: LoopDelay[]): LoopDelay {
  const highest = (part: keyof LoopDelay) => Math.max(...all.map((loopDelay) => loopDelay[part]));
  return { p50: highest("p50"), p99: highest("p99"), max: highest("max") };
}
