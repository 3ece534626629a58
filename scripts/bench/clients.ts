import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { measureFrontend, measureReads, measureReports, READS, type ReadFigures } from "./client-answers.ts";
import { measureChange } from "./client-change.ts";
import { clientLines } from "./client-dataset.ts";
import { type FleetFigures, measureFleet } from "./client-fleet.ts";
import { start } from "./load.ts";
import { importInto, writeLines } from "./prepare.ts";
import { table } from "./report.ts";

/*
 * `npm run bench:clients`: what applications cost that ask for their flags, report use, and poll by the thousand.
 */

const HELP = `npm run bench:clients -- [OPTIONS]

  --flags N      how many flags there are (1000 and 5000); may be repeated
  --seconds N    how long each measurement takes (0.5)
  --rounds N     how often each is made, one beside the other (3)
  --sdks N       how many poll (5000; 0 for none); the system has to allow as many open files
  --interval N   how many seconds pass between two polls of one of them (15)
  --changing N   which part of the flags is switched within a minute (0.02)
  --minutes N    how long they are watched (1)
`;

const { values: asked } = parseArgs({
  options: {
    flags: { type: "string", multiple: true, default: ["1000", "5000"] },
    seconds: { type: "string", default: "0.5" },
    rounds: { type: "string", default: "3" },
    sdks: { type: "string", default: "5000" },
    interval: { type: "string", default: "15" },
    changing: { type: "string", default: "0.02" },
    minutes: { type: "string", default: "1" },
    help: { type: "boolean" },
  },
});

const measuring = { seconds: Number(asked.seconds), rounds: Number(asked.rounds) };

async function measureFlags(flags: number, folder: string): Promise<string> {
  const file = path.join(folder, `${flags}.db`);
  await importInto(await writeLines(clientLines(flags), path.join(folder, `${flags}.jsonl`)), file, () => {});
  const [flagstone, bare] = [await start("flagstone", file), await start("bare", file)];
  const reads: ReadFigures[] = [];
  for (const one of READS) reads.push(await measureReads(flagstone, bare, one, measuring));
  const frontend = await measureFrontend(flagstone, measuring);
  const change = await measureChange(flagstone);
  const reports = await measureReports(flagstone, bare, measuring);
  bare.child.kill();
  const fleet = Number(asked.sdks) > 0 ? await measureFleet(flagstone, fleetOf(flags)) : undefined;
  flagstone.child.kill();
  return [
    `### ${flags.toLocaleString("en")} flags`,
    table(HEAD, reads.map(toCells)),
    [
      `- frontend, all flags evaluated: ${ms(frontend.cpu / 1000)} ms of processor time a request`,
      `- the full answer ${ms(change.repeated.p50)} ms when repeated, ${ms(change.after.p50)} ms after a change of one flag (99 %: ${ms(change.after.p99)})`,
      `- a report of 20 flags: ${ms(reports.each / 1000)} ms of processor time, its part of the writing included; a bare server that reads it takes ${ms(reports.bare / 1000)} ms. The writing held the event loop for ${ms(reports.held)} ms at the most`,
      ...(fleet ? inWords(fleet) : []),
    ].join("\n"),
  ].join("\n\n");
}

const fleetOf = (flags: number) => ({
  flags,
  sdks: Number(asked.sdks),
  interval: Number(asked.interval),
  changing: Number(asked.changing),
  seconds: Number(asked.minutes) * 60,
});

const inWords = ({ polls, most, full, changes, core, held, isPinned }: FleetFigures) => [
  `- ${Number(asked.sdks).toLocaleString("en")} SDKs that poll every ${asked.interval} s, ${changes} changes meanwhile: ` +
    `p50 ${ms(polls.p50)}, p99 ${ms(polls.p99)}, at the most ${ms(most)} ms; ${polls.rate.toFixed(0)} polls a second, ` +
    `${full} with all flags; ${(100 * core).toFixed(0)} % of a core${isPinned ? ", bound to one" : ""}; the event loop ` +
    `was held for ${ms(held)} ms at the most`,
];

const HEAD = ["", "kB", "bare µs", "warm µs", "× bare", "bare 304 µs", "304 µs", "× bare"];

const toCells = ({ name, bytes, bare, warm, bare304, known }: ReadFigures) => [
  name,
  (bytes / 1000).toFixed(1),
  bare.cpu.toFixed(0),
  warm.cpu.toFixed(0),
  (warm.cpu / bare.cpu).toFixed(2),
  bare304.cpu.toFixed(1),
  known.cpu.toFixed(1),
  (known.cpu / bare304.cpu).toFixed(2),
];

const ms = (value: number) => value.toFixed(value < 1 ? 3 : value < 10 ? 2 : 0);

if (asked.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  try {
    for (const flags of asked.flags) process.stdout.write(`${await measureFlags(Number(flags), folder)}\n\n`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  process.exit(); // with the servers that were measured, should they hang
}
