import { CLI } from "../access/actor.ts";
import { countHistory, forgetHistory } from "../db/history.ts";
import { type Point, pointAt } from "../db/state-at.ts";
import { write } from "../events/write.ts";
import { UsageError } from "../lib/usage-error.ts";
import { command, JSON_OPTION } from "./command.ts";
import { dataFile } from "./data-file.ts";
import { counted, printResult } from "./output.ts";

export const historyPurge = command({
  name: "history purge",
  summary: "Forget what rows were before a time, even while a server is using the file",
  example: "history purge --before 2026-01-01 --dry-run --data flags.db",
  settings: ["data"],
  options: {
    before: { hint: "TIME|EVENT", help: "a time such as 2026-01-01, or the id of an event" },
    "dry-run": { help: "only print how many it would forget" },
    ...JSON_OPTION,
  },
  run(context) {
    const { before, "dry-run": dryRun = false } = context.options;
    if (before === undefined) throw new UsageError("--before: say what to keep, such as 2026-01-01");
    using db = dataFile(context.config);
    const point = pointAt(db, before);
    const removed = dryRun ? countHistory(db).pluck().get(point)! : forgetAll(db, point);
    const words = `${dryRun ? "Would forget" : "Forgot"} ${counted(removed, "earlier row")}: the history begins at ${point.at}`;
    printResult(context, { removed, dryRun, begins: point.at }, words);
  },
});

/** In batches, so that a server's changes get a turn in between. */
function forgetAll(db: ReturnType<typeof dataFile>, point: Point) {
  let removed = 0;
  for (let count = -1; count !== 0; removed += count)
    count = write(db, CLI, (tx) => forgetHistory(tx, point));
  return removed;
}
