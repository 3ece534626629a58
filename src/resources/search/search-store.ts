import type { Database } from "../../db/statement.ts";
import { sortedPart } from "../../sorted-part.ts";
import { nextTurn } from "../../turn.ts";
import { criteriaOf } from "./criteria-store.ts";
import { type Flag, searchedFlags } from "./flags-store.ts";
import { type Candidate, orderOf, toCandidate } from "./order-store.ts";
import type { FeatureSearch } from "./schema.ts";

/*
 * A search looks at every flag: no index covers substrings or every criterion. There may be a hundred thousand, so it
 * does so in slices of a few milliseconds, between which other requests get a turn.
 */

/** The number of flags in one slice. */
const SLICE = 10_000;

/** Whose search it is. */
export interface Caller {
  userId: number | null;
  hidden: readonly string[];
}

/** The names on a page, and the total number of matches. */
export interface Found {
  names: string[];
  total: number;
}

const NOTHING: Found = { names: [], total: 0 };

/** Finds nothing once the client has disconnected. */
export async function searchAll(
  db: Database,
  search: FeatureSearch,
  { userId, hidden }: Caller,
  signal: AbortSignal,
): Promise<Found> {
  const flags = searchedFlags(db);
  while (!flags.catchUp()) {
    await nextTurn();
    if (signal.aborted) return NOTHING;
  }
  const [criteria, prepared] = [criteriaOf(db, search, hidden), toCandidate(db, search, userId)];
  const candidatesOf = (flags: readonly Flag[]) =>
    criteria.reduce((left, criterion) => left.filter(criterion), flags).map(prepared);
  return select(flags.all(), candidatesOf, search, signal);
}

/** Selects the best candidates of all flags. */
async function select(
  flags: readonly Flag[],
  candidatesOf: (flags: readonly Flag[]) => Candidate[],
  search: FeatureSearch,
  signal: AbortSignal,
): Promise<Found> {
  const [order, end] = [orderOf(search), search.offset + search.limit];
  let [best, total]: [Candidate[], number] = [[], 0];
  for (let start = 0; start < flags.length; start += SLICE) {
    if (start > 0) await nextTurn();
    if (signal.aborted) return NOTHING;
    const candidates = candidatesOf(flags.slice(start, start + SLICE));
    total += candidates.length;
    const isLast = start + SLICE >= flags.length;
    best = sortedPart(best.concat(candidates), isLast ? search.offset : 0, end, order);
  }
  return { names: best.map(({ flag }) => flag.name), total };
}
