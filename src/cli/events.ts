import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { write } from "../events/write.ts";
import { countOldRecords, type Retention, removeOldRecords } from "../integrations/records.ts";
import { UsageError } from "../lib/usage-error.ts";
import { command, JSON_OPTION } from "./command.ts";
import { dataFile } from "./data-file.ts";
import { counted, printResult } from "./output.ts";

export const eventsPurge = command({
  name: "events purge",
  summary: "Delete old records of deliveries to integrations, even while a server is using the file",
  example: "events purge --keep-integration-events 90d --dry-run --data flags.db",
  settings: ["data", "keep-integration-events"],
  options: {
    "dry-run": { help: "only print how many it would delete" },
    ...JSON_OPTION,
  },
  run(context) {
    const { "keep-integration-events": retention } = context.config;
    if (!retention) throw new UsageError("--keep-integration-events: say what to keep, such as 90d or 10000");
    const { "dry-run": dryRun = false } = context.options;
    using db = dataFile(context.config);
    const removed = dryRun ? countOldRecords(db, retention, Date.now()) : removeAll(db, retention);
    const words = `${dryRun ? "Would remove" : "Removed"} ${counted(removed, "record")} of deliveries`;
    printResult(context, { removed, dryRun }, words);
  },
});

/** In batches, so that a server's changes get a turn in between. */
function removeAll(db: Database, retention: Retention) {
  let removed = 0;
  for (let count = -1; count !== 0; removed += count)
    count = write(db, CLI, (tx) => removeOldRecords(tx, retention, Date.now()));
  return removed;
}
