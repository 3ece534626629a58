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

/*
 * `npm run bench`: how fast reads and changes are, beside a bare server of the same bytes on the same machine in the same run.
 * Times of a shared machine say little; the ratios are what to look at.
 */

const SIZES: Record<string, number> = { small: 10_000, middle: 200_000, large: 1_000_000 };

const { values: asked } = parseArgs({
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

  --size small|middle|large  10,000, 200,000 or 1,000,000 events, or a number of them (middle); may be repeated
  --seconds N                how long each measurement takes (0.2; for figures to be told, 1)
  --rounds N                 how often each is made, one beside the other (3)
  --only TEXT                only the reads with this in their name
  --json FILE                write the figures there too
  --compare FILE             say what changed since that file was written

Each read is measured as it is repeated (warm), after a change of something that it is not made of (unrelated), after a
change of what it is made of (cold) and, where something is kept of single rows, with none of that (first), in processor
time of the server. What was aimed at has a table of its own, which says whether it was reached. Changes are flags that are made, enabled and disabled,
by one client and by 32 at once, beside a program that writes the same rows with better-sqlite3 and nothing else.
docs/performance.md says what each column is.
`;

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function measureSize(events: number, folder: string): Promise<SizeReport> {
  const { file, imported, bytes } = await prepare(events, folder, progress);
  const [flagstone, bare] = [await start("flagstone", file), await start("bare", file)];
  const memory = (await usage(flagstone)).memory;
  const rows: Row[] = [];
  for (const one of casesFor(events).filter(({ name }) => name.includes(asked.only))) {
    progress(`${events} events: ${one.name}`);
    rows.push(await measureCase(one, flagstone, bare));
  }
  const long = await measureLong(events, file, folder, flagstone, progress);
  const changes = await measureChanges(file, flagstone, 5 * Number(asked.seconds), progress);
  for (const { child } of [flagstone, bare]) child.kill();
  const most = Math.max(
    memory,
    ...rows.flatMap(({ warm, cold, alone }) => [warm, cold, alone].map((one) => one.memory)),
  );
  return { events, bytes, imported, changes, long, memory: { start: memory, most }, rows };
}

/** Each column in turn, several times over, so that what disturbs the machine disturbs all of them. */
async function measureCase(one: Case, flagstone: Subject, bare: Subject): Promise<Row> {
  const recorded = await record(flagstone, one);
  bare.child.send({ kind: "answer", key: one.name, recorded });
  const load: Load = { connections: one.isLong ? 4 : 32, seconds: Number(asked.seconds) };
  const { etag } = one.body === undefined ? recorded.headers : {};
  const columns: Record<string, () => Promise<Figure>> = {
    bare: () => measure(bare, "bare", one, load),
    ...(one.rows !== undefined && { rows: () => measure(bare, "rows", one, load) }),
    warm: () => measure(flagstone, "warm", one, load),
    ...(etag !== undefined && {
      bare304: () => measure(bare, "bare", one, { ...load, etag }),
      known: () => measure(flagstone, "warm", one, { ...load, etag }),
    }),
    unrelated: () => measure(flagstone, "unrelated", one, load),
    cold: () => measure(flagstone, "cold", one, load),
    ...(one.isKeptByRow && { first: () => measure(flagstone, "first", one, load) }),
    alone: () =>
      one.isLong
        ? measureFirstByte(flagstone, "cold", one, load.seconds)
        : measure(flagstone, "cold", one, { ...load, connections: 1 }),
  };
  const figures = new Map<string, Figure[]>(Object.keys(columns).map((name) => [name, []]));
  for (let round = 0; round < Number(asked.rounds); round++) {
    for (const [name, figure] of Object.entries(columns)) figures.get(name)!.push(await figure());
  }
  const medians = Object.fromEntries([...figures].map(([name, all]) => [name, median(all)]));
  return { name: one.name, bytes: Buffer.byteLength(recorded.body), ...medians } as unknown as Row;
}

async function bench(): Promise<Report> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const sizes: SizeReport[] = [];
  try {
    for (const size of asked.size) sizes.push(await measureSize(SIZES[size] ?? Number(size), folder));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  const [cpu] = os.cpus();
  return {
    machine: `${os.cpus().length} × ${cpu!.model}, ${Math.round(os.totalmem() / 2 ** 30)} GB`,
    node: process.version,
    sizes,
  };
}

if (asked.help) {
  process.stdout.write(HELP);
} else {
  const report = await bench().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1); // with what is measured still running
  });
  progress("");
  process.stdout.write(`${toText(report)}\n`);
  if (asked.compare) {
    const before = JSON.parse(fs.readFileSync(asked.compare, "utf8")) as Report;
    process.stdout.write(`\n${comparison(report, before)}\n`);
  }
  if (asked.json) fs.writeFileSync(asked.json, `${JSON.stringify(report, undefined, 2)}\n`);
}
