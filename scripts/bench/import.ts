import { createReadStream } from "node:fs";
import { performance } from "node:perf_hooks";
import { close, open } from "../../src/db/open.ts";
import { importDataset } from "../../src/transfer/import.ts";

export interface Imported {
  seconds: number;
  /** Peak resident bytes. */
  memory: number;
}

// Runs in its own process, so that its peak memory is that of the import.
const [, , source = "", file = ""] = process.argv;
const begin = performance.now();
const db = open(file);
await importDataset(db, createReadStream(source, { highWaterMark: 1024 * 1024 }), (lines) =>
  process.send!({ lines }),
);
close(db);
process.send!({
  seconds: (performance.now() - begin) / 1000,
  memory: process.resourceUsage().maxRSS * 1024,
} satisfies Imported);
