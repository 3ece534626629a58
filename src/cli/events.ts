import * as v from "valibot";
import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { countHistory, forgetHistory } from "../db/row-versions.ts";
import type { Writing } from "../db/transaction.ts";
import { type Head, headOf, type Seal } from "../events/chain.ts";
import { write } from "../events/write.ts";
import { countOldRecords, removeOldRecords } from "../integrations/records.ts";
import { UsageError } from "../lib/usage-error.ts";
import { Time } from "../lib/validation.ts";
import { type Proof, verifyLog } from "../log/proof.ts";
import { countOldEvents, purgeEvents } from "../log/purge.ts";
import { command, JSON_OPTION } from "./command.ts";
import { dataFile, dataFileToRead, pointOf } from "./data-file.ts";
import { counted, printResult } from "./output.ts";

export const eventsPurge = command({
  name: "events purge",
  summary:
    "Delete old events, or records of deliveries to integrations, even while a server is using the file",
  example: "events purge --keep-integration-events 90d --dry-run --data flags.db",
  settings: ["data", "keep-integration-events"],
  options: {
    before: { hint: "TIME", help: "delete the events before a time such as 2026-01-31T09:00:00Z" },
    "dry-run": { help: "only print how many it would delete" },
    ...JSON_OPTION,
  },
  run(context) {
    const { "keep-integration-events": retention } = context.config;
    const { before, "dry-run": dryRun = false } = context.options;
    if (!retention && before === undefined)
      throw new UsageError(
        "--keep-integration-events, --before: say what to keep, such as 90d or 10000, or a time",
      );
    const time = before === undefined ? undefined : toTime(before);
    using db = dataFile(context.config);
    const events = time && (dryRun ? countOldEvents(db, time) : inBatches(db, (tx) => purgeEvents(tx, time)));
    const removed =
      retention &&
      (dryRun
        ? countOldRecords(db, retention, Date.now())
        : inBatches(db, (tx) => removeOldRecords(tx, retention, Date.now())));
    const counts = [
      ...(events === undefined ? [] : [counted(Number(events), "event")]),
      ...(removed === undefined ? [] : [`${counted(removed, "record")} of deliveries`]),
    ];
    const words = `${dryRun ? "Would remove" : "Removed"} ${counts.join(" and ")}`;
    printResult(context, { removed, events, dryRun }, words);
  },
});

/** @throws UsageError */
function toTime(text: string): string {
  const { success, output, issues } = v.safeParse(Time, text);
  if (success) return output;
  throw new UsageError(`--before: ${JSON.stringify(text)} ${issues[0].message}`);
}

/** In batches, so that a server's changes get a turn in between. @returns how many were removed */
function inBatches(db: Database, remove: (tx: Writing) => number) {
  let removed = 0;
  for (let count = -1; count !== 0; removed += count) count = write(db, CLI, remove);
  return removed;
}

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
    const point = pointOf(db, "before", before);
    const removed = dryRun ? countHistory(db).get(point)! : inBatches(db, (tx) => forgetHistory(tx, point));
    const words = `${dryRun ? "Would forget" : "Forgot"} ${counted(removed, "earlier row")}: the history begins at ${point.at}`;
    printResult(context, { removed, dryRun, begins: point.at }, words);
  },
});

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
