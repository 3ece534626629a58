import type { Changes } from "./changes.ts";
import type { Imported } from "./import.ts";
import type { Figure } from "./load.ts";
import type { Long } from "./long.ts";
import type { Pace } from "./pace.ts";
import { FEW, MANY, type Searched } from "./searches.ts";
import { isMet, ofSearches, type Target, targetsOf } from "./targets.ts";

/** One case of one size. The ETag columns are missing for responses without one: streams and searches. */
export interface Row {
  name: string;
  bytes: number;
  bare: Figure;
  bare304?: Figure;
  /** The same list read with better-sqlite3 by a bare server; only for lists read from a single index. */
  rows?: Figure;
  warm: Figure;
  notModified?: Figure;
  /** With an unrelated change before each request. */
  unrelated: Figure;
  cold: Figure;
  /** Cold, one request at a time; for a long response, to its first byte. */
  alone: Figure;
}

export interface SizeReport {
  events: number;
  bytes: { dataset: number; file: number };
  imported: Imported;
  changes: Changes;
  long: Long;
  /** Resident bytes after the start, and at the peak. */
  memory: { start: number; peak: number };
  rows: Row[];
}

export interface Report {
  machine: string;
  node: string;
  sizes: SizeReport[];
  searches: Searched[];
}

const us = (figure?: Figure) => (figure ? figure.cpu.toFixed(0) : "");
const ratio = (figure?: Figure, base?: Figure) => (figure && base ? (figure.cpu / base.cpu).toFixed(2) : "");
const rate = (figure: Figure) => Math.round(figure.rate).toLocaleString("en");
const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const mb = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 0);

/** A table in Markdown. */
export function table(head: string[], rows: string[][]): string {
  const width = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(width[0]!) : cell.padStart(width[column]!))).join(" | ")} |`;
  const rule = `| ${width.map((size, column) => (column === 0 ? "-".repeat(size) : `${"-".repeat(size - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

const HEAD = [
  "",
  "kB",
  "bare µs",
  "warm/s",
  "p50",
  "p99",
  "µs",
  "× bare",
  "304 µs",
  "× bare",
  "unrelated µs",
  "× warm",
  "cold/s",
  "p50",
  "p99",
  "µs",
  "× bare",
  "× rows",
  "max delay ms",
];

const toCells = (row: Row) => [
  row.name,
  (row.bytes / 1000).toFixed(1),
  us(row.bare),
  rate(row.warm),
  ms(row.warm.p50),
  ms(row.warm.p99),
  us(row.warm),
  ratio(row.warm, row.bare),
  us(row.notModified),
  ratio(row.notModified, row.bare304),
  us(row.unrelated),
  ratio(row.unrelated, row.warm),
  rate(row.cold),
  ms(row.cold.p50),
  ms(row.cold.p99),
  us(row.cold),
  ratio(row.cold, row.bare),
  ratio(row.cold, row.rows),
  ms(row.alone.loopDelay.max),
];

/** The whole report in Markdown. */
export function toText({ machine, node, sizes, searches }: Report): string {
  return [
    `${machine}; Node ${node}`,
    ...sizes.map(ofSize),
    ...growth(sizes),
    growthOfSearches(searches),
  ].join("\n\n");
}

const ofSize = (size: SizeReport) =>
  [
    `### ${size.events.toLocaleString("en")} events`,
    `Import: ${size.imported.seconds.toFixed(1)} s, a dataset of ${mb(size.bytes.dataset)} MB into a file of ` +
      `${mb(size.bytes.file)} MB, peak memory ${mb(size.imported.memory)} MB. Memory of the server: ` +
      `${mb(size.memory.start)} MB after the start, ${mb(size.memory.peak)} MB at the peak; a stream of ` +
      `${mb(size.long.streamed.bytes)} MB added ${mb(size.long.streamed.added)} MB, a second one ` +
      `${mb(size.long.again.added)} MB.`,
    table(HEAD, size.rows.map(toCells)),
    table(TARGET_HEAD, targetsOf(size).map(toTargetCells)),
    table(["changes", "per second", "p50 ms", "p99 ms", "relative to", "×"], changesIn(size)),
    table(["event-loop delay, ms", "p50", "p99", "max"], loopDelays(size)),
  ].join("\n\n");

const TARGET_HEAD = ["target", "measured", "limit", ""];

const toTargetCells = (target: Target) => {
  const { name, measured, limit, isLeast, unit } = target;
  const bound = `${isLeast ? "at least" : "at most"} ${limit} ${unit}`;
  return [name, `${measured.toFixed(2)} ${unit}`, bound, isMet(target) ? "met" : "missed"];
};

const many = (value: number) => Math.round(value).toLocaleString("en");

/** Times relative to bare, rates relative to one client and to reads while nothing changes. */
function changesIn({
  changes: { bare, unsynced, one, several, bulk, reads, elsewhere },
}: SizeReport): string[][] {
  const line = (name: string, { rate, p50, p99 }: Pace) => [name, many(rate), ms(p50), ms(p99)];
  const times = (value: number, base: number) => (value / base).toFixed(2);
  return [
    [...line("bare better-sqlite3", bare), "", ""],
    [...line("the same without waiting for the disk", unsynced), "", ""],
    [...line("one client", one), "bare's time", times(one.p50, bare.p50)],
    [...line(`${several.clients} clients`, several), "one client's rate", times(several.rate, one.rate)],
    [...line("1,000 flags in bulk, bare better-sqlite3", bulk.bare), "", ""],
    [...line("1,000 flags in bulk", bulk.one), "bare's time", times(bulk.one.p50, bulk.bare.p50)],
    [...line("reads, 32 concurrent", reads.alone), "", ""],
    [
      ...line(`reads during ${many(reads.changes)} changes per second`, reads.meanwhile),
      "reads alone",
      times(reads.meanwhile.rate, reads.alone.rate),
    ],
    [...line("one read, repeated", elsewhere.repeated), "", ""],
    [
      ...line("one read, after a change in another project", elsewhere.after),
      "the repeated read's time",
      times(elsewhere.after.p50, elsewhere.repeated.p50),
    ],
  ];
}

/** The worst delay for each kind of work. */
function loopDelays({ rows, long, changes }: SizeReport): string[][] {
  const alone = rows.toSorted((a, b) => b.alone.loopDelay.max - a.alone.loopDelay.max)[0]!;
  const works = [
    { name: `one cold read at a time, worst (${alone.name})`, loopDelay: alone.alone.loopDelay },
    { name: "changes of 1,000 flags", loopDelay: changes.bulk.loopDelay },
    { name: `one stream of ${mb(long.streamed.bytes)} MB`, loopDelay: long.streamed.loopDelay },
    {
      name: `reads while another process imports ${long.imported.events.toLocaleString("en")} events`,
      loopDelay: long.imported.loopDelay,
    },
  ];
  return works.map(({ name, loopDelay }) => [name, ms(loopDelay.p50), ms(loopDelay.p99), ms(loopDelay.max)]);
}

/** How the latency of a single cold request grows from the smallest size to the largest. */
function growth(sizes: SizeReport[]): string[] {
  const [first, last] = [sizes[0]!, sizes.at(-1)!];
  if (first === last) return [];
  const rows = first.rows.map((row, index) => {
    const [a, b] = [row.alone.p50, last.rows[index]!.alone.p50];
    return [row.name, ms(a), ms(b), (b / a).toFixed(2)];
  });
  const head = ["cold, alone, p50 in ms", `${first.events} events`, `${last.events} events`, "×"];
  return [`### From ${first.events} to ${last.events} events\n\n${table(head, rows)}`];
}

/** How the CPU time of searches grows with the number of flags. */
function growthOfSearches(searches: Searched[]): string {
  const rows = searches.map(({ name, few, many }) => [name, us(few), us(many), ratio(many, few)]);
  const head = ["search of flags, cold, µs", `${FEW} flags`, `${MANY} flags`, "×"];
  const targets = ofSearches(searches).map(toTargetCells);
  return [`### Searches of ${FEW} and ${MANY} flags`, table(head, rows), table(TARGET_HEAD, targets)].join(
    "\n\n",
  );
}

/** The change in CPU time relative to bare since an earlier report, case by case. */
export function comparison(now: Report, before: Report): string {
  const rows = now.sizes.flatMap((size) => {
    const old = before.sizes.find(({ events }) => events === size.events);
    return size.rows.flatMap((row) => {
      const was = old?.rows.find(({ name }) => name === row.name);
      if (!was) return [];
      const change = (column: "warm" | "cold") =>
        `${ratio(was[column], was.bare)} → ${ratio(row[column], row.bare)}`;
      return [[row.name, String(size.events), change("warm"), change("cold")]];
    });
  });
  return table(["× bare, before → now", "events", "warm", "cold"], rows);
}
