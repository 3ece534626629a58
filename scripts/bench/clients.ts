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
 * `npm run bench:clients`: what applications cost: fetching flags, reporting usage, and polling by the thousand.
 */

const HELP = `npm run bench:clients -- [OPTIONS]

  --flags N      number of flags (1000 and 5000); may be repeated
  --seconds N    duration of each measurement (0.5)
  --rounds N     how many times each is taken, interleaved (3)
  --sdks N       number of polling SDKs (5000; 0 for none); the system must allow that many open files
  --interval N   seconds between two polls of an SDK (15)
  --changing N   share of the flags toggled per minute (0.02)
  --minutes N    how long to measure the SDKs (1)
`;

const { values: options } = parseArgs({
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

const measuring = { seconds: Number(options.seconds), rounds: Number(options.rounds) };

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
  const fleet = Number(options.sdks) > 0 ? await measureFleet(flagstone, fleetOf(flags)) : undefined;
  flagstone.child.kill();
  return [
    `### ${flags.toLocaleString("en")} flags`,
    table(HEAD, reads.map(toCells)),
    [
      `- frontend, all flags evaluated: ${ms(frontend.cpu / 1000)} ms of CPU time per request`,
      `- full response: ${ms(change.repeated.p50)} ms when repeated, ${ms(change.after.p50)} ms after a change to one flag (p99: ${ms(change.after.p99)})`,
      `- usage report of 20 flags: ${ms(reports.each / 1000)} ms of CPU time, including its share of the flush; a bare server that reads it takes ${ms(reports.bare / 1000)} ms. Event-loop delay of the flush: max ${ms(reports.loopDelay)} ms`,
      ...(fleet ? fleetLines(fleet) : []),
    ].join("\n"),
  ].join("\n\n");
}

const fleetOf = (flags: number) => ({
  flags,
  sdks: Number(options.sdks),
  interval: Number(options.interval),
  changing: Number(options.changing),
  seconds: Number(options.minutes) * 60,
});

const fleetLines = ({ polls, max, full, changes, core, loopDelay, isPinned }: FleetFigures) => [
  `- ${Number(options.sdks).toLocaleString("en")} SDKs polling every ${options.interval} s, ${changes} changes meanwhile: ` +
    `p50 ${ms(polls.p50)}, p99 ${ms(polls.p99)}, max ${ms(max)} ms; ${polls.rate.toFixed(0)} polls per second, ` +
    `${full} with all flags; ${(100 * core).toFixed(0)} % of a core${isPinned ? ", pinned to one" : ""}; event-loop ` +
    `delay: max ${ms(loopDelay)} ms`,
];

const HEAD = ["", "kB", "bare µs", "warm µs", "× bare", "bare 304 µs", "304 µs", "× bare"];

const toCells = ({ name, bytes, bare, warm, bare304, notModified }: ReadFigures) => [
  name,
  (bytes / 1000).toFixed(1),
  bare.cpu.toFixed(0),
  warm.cpu.toFixed(0),
  (warm.cpu / bare.cpu).toFixed(2),
  bare304.cpu.toFixed(1),
  notModified.cpu.toFixed(1),
  (notModified.cpu / bare304.cpu).toFixed(2),
];

const ms = (value: number) => value.toFixed(value < 1 ? 3 : value < 10 ? 2 : 0);

if (options.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  try {
    for (const flags of options.flags)
      process.stdout.write(`${await measureFlags(Number(flags), folder)}\n\n`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  process.exit(); // also stops the servers, should they hang
}
