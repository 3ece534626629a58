import { setTimeout } from "node:timers/promises";
import type { Database } from "../db/statement.ts";
import { eventsAfter, newestEvent } from "../log/follow-store.ts";
import { matchingPage, toCriteria } from "../log/search-store.ts";
import { wireWindows } from "../log/store.ts";

/** The events to follow. */
export interface Filter {
  /** The number of earlier events to start with. */
  last: number;
  type: readonly string[] | undefined;
  project: readonly string[] | undefined;
  feature: readonly string[] | undefined;
}

/** How often the file is checked for new events, in milliseconds. */
const POLL_MS = 100;

/** The events in a data file as JSON, oldest first, as they are recorded. */
export async function* followFile(db: Database, filter: Filter, signal: AbortSignal): AsyncGenerator<string> {
  let position = newestEvent(db);
  yield* newest(db, filter, position);
  const followed = followedBy(filter);
  while (!signal.aborted) {
    const batch = eventsAfter(db, followed, position);
    for (const { wire } of batch.events) yield wire;
    position = batch.position;
    if (!batch.isMore) await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** The newest events up to a position. */
function* newest(db: Database, { last, type, project, feature }: Filter, position: number) {
  if (last === 0) return;
  const search = { ...toLists({ type, project, feature }), query: "", offset: 0, limit: last };
  const wanted = { ...toCriteria(db, search, []), last: BigInt(position) };
  const { ids } = matchingPage(db, wanted, search);
  for (const wires of wireWindows(db, ids.reverse())) yield* wires;
}

const toLists = (filter: Pick<Filter, "type" | "project" | "feature">) =>
  Object.fromEntries(Object.entries(filter).map(([name, values]) => [name, values && [...values]]));

const followedBy = ({ type, project, feature }: Filter) => ({
  types: toList(type),
  projects: toList(project),
  features: toList(feature),
  creators: null,
  hidden: "[]",
});

const toList = (values: readonly string[] | undefined) => (values ? JSON.stringify(values) : null);
