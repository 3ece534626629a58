import path from "node:path";
import { type Case, casesFor } from "./cases.ts";
import { eventsOfOneProject } from "./dataset.ts";
import { ask, measure, type Subject, start, usage } from "./load.ts";
import { importInto, writeLines } from "./prepare.ts";
import type { Held, Usage } from "./server.ts";

/** What takes long, and what else the server can do meanwhile. */
export interface Long {
  /** Half as many events again are imported by another process while the server answers reads. */
  imported: { events: number; held: Held };
  /** Then they are streamed to the end, by a server that has just begun, and once more. */
  streamed: Streamed;
  again: Streamed;
}

interface Streamed {
  bytes: number;
  /** How many bytes of memory that added at the most. */
  added: number;
  held: Held;
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
  const held = await heldDuring(
    importInto(source, file, () => {}),
    served,
    read,
  );
  progress("streaming a large project");
  const fresh = await start("flagstone", file);
  await ask(fresh, "warm", read).then((response) => response.text()); // what any first request takes is not the stream's
  const [streamed, again] = [await stream(fresh, long), await stream(fresh, long)];
  fresh.child.kill();
  return { imported: { events: Math.floor(events / 2), held }, streamed, again };
}

async function heldDuring(work: Promise<unknown>, served: Subject, read: Case): Promise<Held> {
  const all: Held[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) all.push((await measure(served, "warm", read, { connections: 4, seconds: 1 })).held);
  await done;
  return worst(all);
}

/** Reads one long answer whole, and looks at the server on the way. */
async function stream(served: Subject, long: Case): Promise<Streamed> {
  const before = await usage(served);
  const seen: Usage[] = [];
  let bytes = 0;
  for await (const chunk of (await ask(served, "warm", long)).body!) {
    bytes += chunk.length;
    if (bytes >= (seen.length + 1) * 1_000_000) seen.push(await usage(served));
  }
  seen.push(await usage(served));
  const most = Math.max(...seen.map(({ memory }) => memory));
  return { bytes, added: most - before.memory, held: worst(seen.map(({ held }) => held)) };
}

function worst(all: Held[]): Held {
  const most = (part: keyof Held) => Math.max(...all.map((held) => held[part]));
  return { p50: most("p50"), p99: most("p99"), most: most("most") };
}
