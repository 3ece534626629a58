import { SYSTEM } from "../access/actor.ts";
import { actorOf } from "../access/authenticate.ts";
import { type Database, dataVersion } from "../db/database.ts";
import { onChange } from "../db/revision.ts";
import { BOOKKEEPING } from "../db/statement.ts";
import { actingAs, type Tx, writeSoon } from "../events/write.ts";
import { fromConstraint } from "../http/failure.ts";
import { ApiError } from "../lib/api-error.ts";
import { createBackground } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { requireApplicable } from "./approval.ts";
import { tellScheduler } from "./notices.ts";
import { apply, recordOf } from "./states.ts";
import { findRow, type Row, type StoredSchedule, scheduledRows, scheduleOf, storeState } from "./store.ts";

/** How often the clock is looked at, in milliseconds. */
const CHECK_MS = 500;

/** What is applied later than this after its time is late, in milliseconds: no server was running then. */
const LATE_MS = 60_000;

/**
 * Applies scheduled change requests at their time, whatever the clock does in between, and suspends those that can't be
 * applied any more. Returns a function that stops it.
 * @param skipsLate whether what is late fails instead of being applied
 */
export function watchSchedule(db: Database, log: Log, skipsLate: boolean): () => Promise<void> {
  const background = createBackground(log, "applying scheduled change requests");
  let isChanged = true;
  let version: number | undefined;
  const stopWatching = onChange(db, (tables) => {
    isChanged ||= [...tables].some((table) => table !== BOOKKEEPING);
  });
  background.every(CHECK_MS, () => {
    const now = dataVersion(db); // of what other processes have written
    const onlyDue = !isChanged && now === version;
    isChanged = false;
    version = now;
    return applyDue(db, log, { skipsLate, onlyDue });
  });
  return () => {
    stopWatching();
    return background.stop();
  };
}

/**
 * Looks at every request that is scheduled.
 * @param options.onlyDue leaves out those that only a change could have broken
 * @param options.now in milliseconds
 */
export async function applyDue(
  db: Database,
  log: Log,
  { skipsLate = false, onlyDue = false, now = Date.now() } = {},
) {
  for (const row of scheduledRows(db).all({})) {
    const schedule = scheduleOf(row)!;
    if (schedule.status !== "pending") continue;
    const lateMs = now - Date.parse(schedule.scheduledAt);
    if (lateMs < 0 && onlyDue) continue;
    if (lateMs < 0) await suspendIfBroken(db, row);
    else await applyNow(db, log, row, { isLate: lateMs > LATE_MS, skipsLate });
  }
}

/** All or nothing; what prevents it is kept with the request, which stays scheduled. */
async function applyNow(db: Database, log: Log, row: Row, { isLate = false, skipsLate = false }) {
  const warn = (what: string) => log({ level: "warn", message: `change request #${row.id} ${what}` });
  try {
    if (isLate && skipsLate) throw new ApiError("ConflictError", "no server was running at that time");
    const isApplied = await writeSoon(db, SYSTEM, (tx) => {
      if (!isPending(tx.db, row)) return false;
      apply(actingAs(tx, requireScheduler(tx.db, row)), row);
      return true;
    });
    if (isLate && isApplied) warn(`was due at ${scheduleOf(row)!.scheduledAt}: applied late`);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    warn(`was not applied: ${reason}`);
    await writeSoon(db, SYSTEM, (tx) => end(tx, row, "failed", reason));
  }
}

async function suspendIfBroken(db: Database, row: Row) {
  try {
    requireApplicable(db, requireScheduler(db, row), row);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    await writeSoon(db, SYSTEM, (tx) => end(tx, row, "suspended", reason));
  }
}

const EVENTS = {
  failed: "change-request-scheduled-application-failure",
  suspended: "change-request-schedule-suspended",
} as const;

function end(tx: Tx, row: Row, status: keyof typeof EVENTS, reason: string) {
  if (!isPending(tx.db, row)) return;
  const schedule: StoredSchedule = { ...scheduleOf(row)!, status, reason };
  storeState(tx, row, "Scheduled", schedule);
  recordOf(tx, EVENTS[status], row, { reason });
  tellScheduler(tx, row, status === "failed" ? "could not apply" : "suspended");
}

/** Whether nobody has changed its schedule meanwhile. */
const isPending = (db: Database, { id, schedule }: Row) => findRow(db, id)?.schedule === schedule;

/** @throws ApiError `ConflictError` if they are gone */
function requireScheduler(db: Database, row: Row) {
  const scheduler = actorOf(db, scheduleOf(row)!.scheduledBy);
  if (scheduler) return scheduler;
  throw new ApiError("ConflictError", "whoever scheduled it was deleted");
}

/** @throws what isn't for people */
function reasonOf(thrown: unknown): string {
  const error = fromConstraint(thrown) ?? thrown;
  if (error instanceof ApiError) return error.message;
  throw error;
}
