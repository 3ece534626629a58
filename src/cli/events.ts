import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { write } from "../events/write.ts";
import { countOldRecords, type Retention, removeOldRecords } from "../integrations/records.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Command, JSON_OPTION } from "./command.ts";
import { counted } from "./output.ts";
import { withFile } from "./with-file.ts";

export const eventsPurge: Command = {
  name: "events purge",
  summary: "Delete old records of deliveries to integrations, even while a server is using the file",
  example: "events purge --keep-integration-events 90d --dry-run --data flags.db",
  settings: ["data", "keep-integration-events"],
  options: {
    "dry-run": { type: "boolean", help: "only print how many it would delete" },
    ...JSON_OPTION,
  },
  async run({ config, options, print }) {
    const retention = config["keep-integration-events"];
    if (!retention) throw new UsageError("--keep-integration-events: say what to keep, such as 90d or 10000");
    const isDryRun = options["dry-run"] === true;
    await withFile(config, (db) => {
      const removed = isDryRun ? countOldRecords(db, retention, Date.now()) : removeAll(db, retention);
      if (options.json) return print(JSON.stringify({ removed, dryRun: isDryRun }));
      print(`${isDryRun ? "Would remove" : "Removed"} ${counted(removed, "record")} of deliveries`);
    });
  },
};

/** In batches, so that a server's changes get a turn in between. */
function removeAll(db: Database, retention: Retention) {
  let removed = 0;
  for (let count = -1; count !== 0; removed += count)
    count = write(db, CLI, (tx) => removeOldRecords(tx, retention, Date.now()));
  return removed;
}
