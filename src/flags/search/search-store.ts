import type { Database } from "../../db/statement.ts";
import { sortedPart } from "../../lib/sorted-part.ts";
import { nextTurn } from "../../lib/turn.ts";
import { type Criterion, criteriaOf } from "./criteria-store.ts";
import { byAge, type Flag, searchedFlags } from "./flags-store.ts";
import { type Order, orderOf, youngestFirst } from "./order-store.ts";
import type { FeatureSearch } from "./schema.ts";

/*
 * A search looks at every flag, unless it is for those with a tag or a segment: no index covers substrings or every
 * criterion. There may be a hundred thousand flags, so it looks at them in slices of a few milliseconds, between which
 * other requests get a turn.
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
  const [criteria, order] = [criteriaOf(db, search, hidden), orderOf(db, search, userId)];
  const names = criteria.find((criterion) => criterion.names)?.names;
  if (names) return select(flags.of(names), { ...search, criteria, part: partBy(order) }, signal);
  const [all, part] = arranged(flags.all(), order);
  return select(all, { ...search, criteria, part }, signal);
}

/** Part of a list in a search's order. */
type Part = (flags: Flag[], from: number, to: number) => Flag[];

const partBy =
  (order: Order): Part =>
  (flags, from, to) =>
    sortedPart(flags, from, to, order);

const partAsIs: Part = (flags, from, to) => flags.slice(from, to);

/** Flags by age are in order already, or in reverse. */
function arranged(flags: readonly Flag[], order: Order): [flags: readonly Flag[], part: Part] {
  if (order === byAge) return [flags, partAsIs];
  if (order === youngestFirst) return [flags.toReversed(), partAsIs];
  return [flags, partBy(order)];
}

interface Selection {
  criteria: readonly Criterion[];
  part: Part;
  offset: number;
  limit: number;
}

async function select(
  flags: readonly Flag[],
  { criteria, part, offset, limit }: Selection,
  signal: AbortSignal,
): Promise<Found> {
  let [best, total]: [Flag[], number] = [[], 0];
  for (let start = 0; start < flags.length; start += SLICE) {
    if (start > 0) await nextTurn();
    if (signal.aborted) return NOTHING;
    const slice = flags.slice(start, start + SLICE);
    const found = criteria.reduce((left, criterion) => left.filter(criterion), slice);
    total += found.length;
    const isLast = start + SLICE >= flags.length;
    best = part(best.concat(found), isLast ? offset : 0, offset + limit);
  }
  return { names: best.map(({ name }) => name), total };
}
