import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Case, casesFor } from "./cases.ts";
import { measureChanges } from "./changes.ts";
import {
  type Figure,
  type Load,
  measure,
  measureFirstByte,
  median,
  record,
  type Subject,
  start,
  usage,
} from "./load.ts";
import { measureLong } from "./long.ts";
import { prepare } from "./prepare.ts";
import { comparison, type Report, type Row, type SizeReport, toText } from "./report.ts";
import { measureSearches, type Searched } from "./searches.ts";

/*
 * `npm run bench`: the speed of reads and changes, relative to a bare server that sends the same bytes, on the same
 * machine and in the same run. Absolute times on a shared machine say little; look at the ratios.
 */

const SIZES: Record<string, number> = { small: 10_000, middle: 200_000, large: 1_000_000 };

const { values: options } = parseArgs({
  options: {
    size: { type: "string", multiple: true, default: ["middle"] },
    seconds: { type: "string", default: "0.2" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    json: { type: "string" },
    compare: { type: "string" },
    help: { type: "boolean" },
  },
});

const HELP = `npm run bench -- [OPTIONS]

  --size small|middle|large  10,000, 200,000 or 1,000,000 events, or any number (middle); may be repeated
  --seconds N                duration of each measurement (0.2; use 1 for figures to publish)
  --rounds N                 how many times each is taken, interleaved (3)
  --only TEXT                only reads whose name contains TEXT
  --json FILE                also write the figures to FILE
  --compare FILE             compare with the figures in FILE

Each read is warmed up, then measured repeated (warm), after a change to data it does not depend on (unrelated), after
a change to data it does depend on (cold) and, where rows are cached, with that cache empty too (first), in CPU time of
the server. A second table shows whether the targets were met. Changes create, enable and disable flags, by one client
and by 32 concurrently, relative to a program that writes the same rows with nothing but better-sqlite3. Searches of
flags are measured with 50 and with 5,000 of them.
docs/performance-details.md explains the columns.
`;

const chosenCases = (events: number) => casesFor(events).filter(({ name }) => name.includes(options.only));

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function measureSize(events: number, folder: string): Promise<SizeReport> {
  const { file, imported, bytes } = await prepare(events, folder, progress);
  const [flagstone, bare] = [await start("flagstone", file), await start("bare", file)];
  const memory = (await usage(flagstone)).memory;
  const rows: Row[] = [];
  for (const one of chosenCases(events)) {
    progress(`${events} events: ${one.name}`);
    rows.push(await measureCase(one, flagstone, bare));
  }
  const long = await measureLong(events, file, folder, flagstone, progress);
  const changes = await measureChanges(file, flagstone, 5 * Number(options.seconds), progress);
  for (const { child } of [flagstone, bare]) child.kill();
  const peak = Math.max(
    memory,
    ...rows.flatMap(({ warm, cold, alone }) => [warm, cold, alone].map((one) => one.memory)),
  );
  return { events, bytes, imported, changes, long, memory: { start: memory, peak }, rows };
}

/** The length of a warm-up, in measurements: V8 compiles while it lasts, which takes as long as the reads themselves. */
const WARM_UP = 5;

/** The columns are interleaved over several rounds, so that noise on the machine affects all of them. */
async function measureCase(one: Case, flagstone: Subject, bare: Subject): Promise<Row> {
  const recorded = await record(flagstone, one);
  bare.child.send({ kind: "answer", key: one.name, recorded });
  const load: Load = { connections: one.isLong ? 4 : 32, seconds: Number(options.seconds) };
  const { etag } = one.body === undefined ? recorded.headers : {};
  const columns: Record<string, () => Promise<Figure>> = {
    bare: () => measure(bare, "bare", one, load),
    ...(one.rows !== undefined && { rows: () => measure(bare, "rows", one, load) }),
    warm: () => measure(flagstone, "warm", one, load),
    ...(etag !== undefined && {
      bare304: () => measure(bare, "bare", one, { ...load, etag }),
      notModified: () => measure(flagstone, "warm", one, { ...load, etag }),
    }),
    unrelated: () => measure(flagstone, "unrelated", one, load),
    cold: () => measure(flagstone, "cold", one, load),
    alone: () =>
      one.isLong
        ? measureFirstByte(flagstone, "cold", one, load.seconds)
        : measure(flagstone, "cold", one, { ...load, connections: 1 }),
  };
  await measure(flagstone, "cold", one, { ...load, seconds: WARM_UP * load.seconds });
  const figures = new Map<string, Figure[]>(Object.keys(columns).map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [name, figure] of Object.entries(columns)) figures.get(name)!.push(await figure());
  }
  const medians = Object.fromEntries([...figures].map(([name, all]) => [name, median(all)]));
  return { name: one.name, bytes: Buffer.byteLength(recorded.body), ...medians } as unknown as Row;
}

async function bench(): Promise<Report> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const sizes: SizeReport[] = [];
  const pace = { seconds: Number(options.seconds), rounds: Number(options.rounds) };
  let searches: Searched[] = [];
  try {
    searches = await measureSearches(folder, pace, progress);
    for (const size of options.size) sizes.push(await measureSize(SIZES[size] ?? Number(size), folder));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  const [cpu] = os.cpus();
  return {
    machine: `${os.cpus().length} × ${cpu!.model}, ${Math.round(os.totalmem() / 2 ** 30)} GB`,
    node: process.version,
    sizes,
    searches,
  };
}

if (options.help) {
  process.stdout.write(HELP);
} else if (chosenCases(0).length === 0) {
  process.stderr.write(`No read's name contains ${JSON.stringify(options.only)}\n`);
  process.exitCode = 2;
} else {
  const report = await bench().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1); // the servers are still running
  });
  progress("");
  process.stdout.write(`${toText(report)}\n`);
  if (options.compare) {
    const before = JSON.parse(fs.readFileSync(options.compare, "utf8")) as Report;
    process.stdout.write(`\n${comparison(report, before)}\n`);
  }
  if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
}
