type Compare<T> = (a: T, b: T) => number;

/** Up to this number of items, sorting all of them is as fast; so it is if the part is a quarter of them. */
const FEW = 250;

/** The number of items that the rest is judged by. */
const SAMPLE = 50;

/**
 * What `items.toSorted(compare).slice(from, to)` returns, but sorts little more than that part.
 * @param compare 0 only for an item and itself
 */
export function sortedPart<T>(items: readonly T[], from: number, to: number, compare: Compare<T>): T[] {
  const [start, end] = [Math.max(0, from), Math.min(to, items.length)];
  if (start >= end) return [];
  if (items.length <= FEW || end - start > items.length / 4) return items.toSorted(compare).slice(start, end);
  const pivot = pivotBeside(items, start, end, compare);
  const [before, after]: [T[], T[]] = [[], []];
  for (const item of items) if (item !== pivot) (compare(item, pivot) < 0 ? before : after).push(item);
  const rank = before.length;
  return [
    ...sortedPart(before, from, to, compare),
    ...(from <= rank && rank < to ? [pivot] : []),
    ...sortedPart(after, from - rank - 1, to - rank - 1, compare),
  ];
}

/** An item that most likely comes shortly after the part, or before it if that leaves fewer items with it. */
function pivotBeside<T>(items: readonly T[], from: number, to: number, compare: Compare<T>): T {
  const sample = Array.from({ length: SAMPLE }, (_, index) => items[placeAt(index, items.length)]!);
  const placeOf = (rank: number) => (rank / items.length) * SAMPLE;
  const isInFront = from + to < items.length;
  const place = isInFront ? Math.ceil(placeOf(to)) + 1 : Math.floor(placeOf(from)) - 2;
  return sample.sort(compare)[Math.min(Math.max(place, 0), SAMPLE - 1)]!;
}

/** Places spread evenly over a list of this length, without a period that its items may have too. */
const placeAt = (index: number, length: number) => Math.floor((((index + 1) * GOLDEN_RATIO) % 1) * length);

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
