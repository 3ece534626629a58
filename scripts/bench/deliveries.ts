import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { READ } from "./changes.ts";
import {
  type Lag,
  measureLag,
  measureQueueImpact,
  measureReadImpact,
  measureThroughput,
  type QueueImpact,
  type ReadImpact,
  startDelivering,
  type Throughput,
} from "./delivering.ts";
import { measure } from "./load.ts";
import { paceOf } from "./pace.ts";
import { prepare } from "./prepare.ts";
import { table } from "./report.ts";

/*
 * `npm run bench:deliveries`: how much deliveries slow down reads and changes, and how long they lag behind the change.
 */

const HELP = `npm run bench:deliveries -- [OPTIONS]

  --seconds N  duration of each measurement (1)
  --rounds N   how many times each is taken, interleaved; the median is shown (5)

The receiver is a separate process on the same machine. On a busy machine, use more rounds.
`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean" },
  },
});

/** Length of the queue while changes are measured. */
const QUEUE = 100_000;
const RATE = 500;

interface Measured {
  alone: Throughput[];
  reads: ReadImpact[];
  changes: QueueImpact[];
  idle: Lag;
  busy: Lag;
}

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function measureAll(folder: string): Promise<Measured> {
  const { file } = await prepare(QUEUE, folder, progress);
  const all = await startDelivering(file, Number(options.seconds));
  const [alone, reads, changes]: [Throughput[], ReadImpact[], QueueImpact[]] = [[], [], []];
  for (let round = 1; round <= Number(options.rounds); round++) {
    progress(`round ${round}`);
    alone.push(await measureThroughput(all));
    reads.push(await measureReadImpact(all, RATE));
    changes.push(await measureQueueImpact(all, QUEUE));
  }
  progress("lag");
  const idle = await measureLag(all, 100);
  const load = measure(all.served, "warm", READ, { connections: 32, seconds: 5 });
  const busy = await measureLag(all, 50);
  await load;
  return { alone, reads, changes, idle, busy };
}

const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;

function toText({ alone, reads, changes, idle, busy }: Measured) {
  const of = <T>(all: T[], figure: (one: T) => number) => median(all.map(figure));
  const many = (figure: number) => Math.round(figure).toLocaleString("en");
  const times = (figure: number) => figure.toFixed(2);
  const percentiles = (all: number[]) => {
    const { p50, p99 } = paceOf(all, 1);
    return `${p50.toFixed(0)}, ${p99.toFixed(0)}`;
  };
  return table(
    ["deliveries to a receiver on the same machine", "measured", "target"],
    [
      ["per second, on an otherwise idle server", many(of(alone, ({ rate }) => rate)), many(RATE)],
      ["microseconds of CPU time each", many(of(alone, ({ cpu }) => cpu)), ""],
      [`share of a core at ${RATE} per second`, times(of(alone, ({ cpu }) => (cpu * RATE) / 1e6)), "0.20"],
      [
        `per second to a receiver that takes ${RATE}, during 32 readers`,
        many(of(reads, ({ rate }) => rate)),
        many(RATE),
      ],
      [
        "reads meanwhile, relative to reads alone",
        times(of(reads, (one) => one.meanwhile.rate / one.alone.rate)),
        "0.80",
      ],
      [
        `time of a change with ${many(QUEUE)} queued, relative to none`,
        times(of(changes, ({ empty, waiting }) => waiting.p50 / empty.p50)),
        "1.20",
      ],
      [
        "time of a change while these are delivered, relative to none",
        times(of(changes, ({ empty, delivered }) => delivered.p50 / empty.p50)),
        "1.20",
      ],
      ["lag after a change by the API, ms, p50 and p99", percentiles(idle.ofServer), "50"],
      ["lag after a commit by the command line", percentiles(idle.ofCommand), "50"],
      ["the same during 32 readers, by the API", percentiles(busy.ofServer), "50"],
      ["the same during 32 readers, by the command line", percentiles(busy.ofCommand), "50"],
    ],
  );
}

if (options.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const measured = await measureAll(folder).finally(() => fs.rmSync(folder, { recursive: true }));
  progress("");
  process.stdout.write(`${toText(measured)}\n`);
  process.exit(); // also stops the server, should it hang
}
