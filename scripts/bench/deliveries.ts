import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { READ } from "./changes.ts";
import {
  type Alone,
  type Beside,
  type BesideQueue,
  changesBeside,
  type Delays,
  delays,
  deliveriesAlone,
  readsBeside,
  startDelivering,
} from "./delivering.ts";
import { measure } from "./load.ts";
import { paceOf } from "./pace.ts";
import { prepare } from "./prepare.ts";
import { table } from "./report.ts";

/*
 * `npm run bench:deliveries`: what deliveries cost reads and changes, and how soon they begin.
 */

const HELP = `npm run bench:deliveries -- [OPTIONS]

  --seconds N  how long each measurement takes (1)
  --rounds N   how often each is made, one beside the other; told is the median (5)

The receiver is a process of its own on the same machine. On one where others work too, more rounds help.
`;

const { values: asked } = parseArgs({
  options: {
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean" },
  },
});

/** How many events wait for delivery while changes are measured. */
const QUEUE = 100_000;
const RATE = 500;

interface Measured {
  alone: Alone[];
  reads: Beside[];
  changes: BesideQueue[];
  idle: Delays;
  busy: Delays;
}

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function measureAll(folder: string): Promise<Measured> {
  const { file } = await prepare(QUEUE, folder, progress);
  const all = await startDelivering(file, Number(asked.seconds));
  const [alone, reads, changes]: [Alone[], Beside[], BesideQueue[]] = [[], [], []];
  for (let round = 1; round <= Number(asked.rounds); round++) {
    progress(`round ${round}`);
    alone.push(await deliveriesAlone(all));
    reads.push(await readsBeside(all, RATE));
    changes.push(await changesBeside(all, QUEUE));
  }
  progress("how soon they begin");
  const idle = await delays(all, 100);
  const load = measure(all.served, "warm", READ, { connections: 32, seconds: 5 });
  const busy = await delays(all, 50);
  await load;
  return { alone, reads, changes, idle, busy };
}

const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;

function toText({ alone, reads, changes, idle, busy }: Measured) {
  const of = <T>(all: T[], figure: (one: T) => number) => median(all.map(figure));
  const many = (figure: number) => Math.round(figure).toLocaleString("en");
  const times = (figure: number) => figure.toFixed(2);
  const soon = (all: number[]) => {
    const { p50, p99 } = paceOf(all, 1);
    return `${p50.toFixed(0)}, ${p99.toFixed(0)}`;
  };
  return table(
    ["deliveries to a receiver on the same machine", "seen", "aimed at"],
    [
      ["a second, where nothing else is to do", many(of(alone, ({ rate }) => rate)), many(RATE)],
      ["microseconds of processor time each", many(of(alone, ({ cpu }) => cpu)), ""],
      [
        `share of a core that ${RATE} a second take`,
        times(of(alone, ({ cpu }) => (cpu * RATE) / 1e6)),
        "0.20",
      ],
      [
        `a second to a receiver that takes ${RATE}, while 32 read`,
        many(of(reads, ({ rate }) => rate)),
        many(RATE),
      ],
      [
        "reads meanwhile, beside reads alone",
        times(of(reads, (one) => one.meanwhile.rate / one.alone.rate)),
        "0.80",
      ],
      [
        `time of a change while ${many(QUEUE)} wait, beside none`,
        times(of(changes, ({ empty, waiting }) => waiting.p50 / empty.p50)),
        "1.20",
      ],
      [
        "time of a change while these are delivered, beside none",
        times(of(changes, ({ empty, delivered }) => delivered.p50 / empty.p50)),
        "1.20",
      ],
      ["begin after a change by the API, ms, half and 99 %", soon(idle.ofServer), "50"],
      ["begin after a commit by the command line", soon(idle.ofCommand), "50"],
      ["the same while 32 read, by the API", soon(busy.ofServer), "50"],
      ["the same while 32 read, by the command line", soon(busy.ofCommand), "50"],
    ],
  );
}

if (asked.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const measured = await measureAll(folder).finally(() => fs.rmSync(folder, { recursive: true }));
  progress("");
  process.stdout.write(`${toText(measured)}\n`);
  process.exit(); // with the server that was measured, should it hang
}
