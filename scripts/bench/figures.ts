/** Throughput and latency; times in milliseconds. */
export interface Pace {
  /** Per second. */
  rate: number;
  p50: number;
  p99: number;
  max: number;
}

/** @param seconds what all of it took; by default, the times one after the other */
export function paceOf(times: readonly number[], seconds = sum(times) / 1000): Pace {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99), max: at(1) };
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** The one with the median figure. */
export const medianBy = <T>(all: readonly T[], figure: (one: T) => number): T =>
  all.toSorted((a, b) => figure(a) - figure(b))[Math.floor(all.length / 2)]!;

/** A figure with its aim. */
export interface Aim {
  name: string;
  value: number;
  /** An upper bound, or a lower one if `isLeast`. */
  limit: number;
  isLeast?: boolean;
  unit: string;
}

export const aimTable = (aims: readonly Aim[]) =>
  aims.length === 0
    ? ""
    : table(
        ["aim", "measured", "limit", ""],
        aims.map(({ name, value, limit, isLeast = false, unit }) => [
          name,
          `${short(value)} ${unit}`,
          `at ${isLeast ? "least" : "most"} ${limit} ${unit}`,
          (isLeast ? value >= limit : value <= limit) ? "met" : "missed",
        ]),
      );

/** A table in Markdown. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const width = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(width[0]!) : cell.padStart(width[column]!))).join(" | ")} |`;
  const rule = `| ${width.map((size, column) => (column === 0 ? "-".repeat(size) : `${"-".repeat(size - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** A figure with about three digits. */
export const short = (value: number) =>
  value < 1 ? value.toFixed(3) : value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : many(value);

export const many = (value: number) => Math.round(value).toLocaleString("en");

export const megabytes = (bytes: number) => short(bytes / 1e6);

export const ratio = (value?: number, base?: number) => (value && base ? (value / base).toFixed(2) : "");
