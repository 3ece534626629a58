import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { type Head, headOf, type Seal } from "../events/chain.ts";
import { write } from "../events/write.ts";
import { countOldRecords, type Retention, removeOldRecords } from "../integrations/records.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Proof, verifyLog } from "../log/proof.ts";
import { command, JSON_OPTION } from "./command.ts";
import { dataFile, dataFileToRead } from "./data-file.ts";
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

export const eventsHead = command({
  name: "events head",
  summary: "Print the hash that the log ends in, to keep elsewhere, even while a server is using the file",
  example: "events head --data flags.db",
  settings: ["data"],
  options: JSON_OPTION,
  run(context) {
    using db = dataFileToRead(context.config);
    const head = headOf(db);
    if (head.hash === "")
      throw new DataError(`${context.config.data} has no event with a hash yet: the next change begins`);
    printResult(context, { ...head, head: textOf(head) }, textOf(head));
  },
});

export const eventsVerify = command({
  name: "events verify",
  summary: "Check whether the log of events was tampered with, even while a server is using the file",
  example: "events verify --since $(cat head.txt) --data flags.db",
  settings: ["data"],
  options: {
    since: { hint: "HEAD", help: "only what follows this head, which the log must contain" },
    ...JSON_OPTION,
  },
  run(context) {
    const { since } = context.options;
    using db = dataFileToRead(context.config);
    const proof = verifyLog(db, since === undefined ? undefined : toHead(since));
    printResult(context, { ...proof, head: textOf(proof.head) }, wordsOf(proof));
    if (!proof.ok) throw new DataError(`${context.config.data} has a log that is not as it was recorded`);
  },
});

const textOf = ({ id, hash }: Head) => `${id}:${hash}`;

/** @throws UsageError */
function toHead(text: string): Head {
  const [, id, hash] = /^(\d{1,16}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (hash) return { id: Number(id), hash };
  throw new UsageError(`--since: ${JSON.stringify(text)} must be what events head printed, such as 12:3f5a…`);
}

function wordsOf({ ok, proved, unproved, gaps, head, problems, findings }: Proof) {
  const notes = gaps.map(({ afterId, reason }) => `Sealed after event ${afterId}: ${REASONS[reason]}`);
  const others = unproved === 0 ? "" : `, ${counted(unproved, "event")} from before it`;
  const listed = findings.map(({ message }) => `FAIL   ${message}`);
  const more = problems > findings.length ? [`and ${problems - findings.length} more`] : [];
  const result = ok ? [`The log is as it was recorded; its head is ${textOf(head)}`] : [...listed, ...more];
  return [...notes, `${counted(proved, "event")} in the chain${others}`, ...result].join("\n");
}

const REASONS: Record<Seal["reason"], string> = {
  upgrade: "events were recorded by an older version",
  import: "events were imported",
  purge: "events were deleted because of their age",
};
