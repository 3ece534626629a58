import { type Actor, SYSTEM_USER_ID } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { bookkeeping, command } from "../db/statement.ts";
import { inWriting, type Writing } from "../db/transaction.ts";
import { timestamp } from "../lib/time.ts";
import { enqueueDeliveries } from "./deliveries.ts";
import { requireNoApproval } from "./needs-approval.ts";
import { type StoredEvent, storeEvent, tagsOf } from "./record.ts";
import type { EventType } from "./schema.ts";

/** What a change records; the actor and the time come from the transaction. */
export interface NewEvent
  extends Partial<Pick<StoredEvent, "environment" | "project" | "featureName" | "tags">> {
  type: EventType;
  /** The subject after the change. */
  data?: StoredEvent["data"];
  /** The subject before the change. */
  preData?: StoredEvent["preData"];
}

/** A write transaction. Functions that change something take it first, so none can be called outside one. */
export interface Tx extends Writing {
  actor: Actor;
  /** The time of the whole transaction, RFC 3339. */
  now: string;
  /**
   * Stores the event and everything that follows from it: search row, totals, notifications and deliveries.
   * @throws ApiError `NoAccessError` for a change that must be approved
   */
  record(event: NewEvent): void;
  /** The ids of the events recorded so far. */
  readonly recorded: number[];
}

/**
 * The only way to write: a change to administered data and the events that record it are one commit, or nothing.
 * Other processes wait for it before they write.
 */
export const write = <T>(db: Database, actor: Actor, body: (tx: Tx) => T): T =>
  inWriting(db, (writing) => runIn(writing, actor, body));

/** The same for a server, where many changes happen at once. */
export const writeSoon = <T>(db: Database, actor: Actor, body: (tx: Tx) => T): Promise<T> =>
  inGroup(db, (writing) => runIn(writing, actor, body));

function runIn<T>(writing: Writing, actor: Actor, body: (tx: Tx) => T): T {
  const tx = toTx(writing, actor);
  const result = body(tx);
  insertPoint(writing).run({ now: tx.now });
  return result;
}

/** The history is complete up to here. */
const insertPoint = bookkeeping<{ now: string }>(`
  INSERT OR IGNORE INTO history_points (history, event, at)
  SELECT ifnull((SELECT max(id) FROM history), 0), ifnull((SELECT max(id) FROM events), 0), :now`);

/** The same transaction with a different actor. */
export const actingAs = (tx: Tx, actor: Actor): Tx => toTx(tx, actor, tx);

type Common = Pick<Tx, "now" | "recorded">;

function toTx(writing: Writing, actor: Actor, common: Common = { now: timestamp(), recorded: [] }): Tx {
  const { createdBy, createdByUserId } = actor;
  const { now, recorded } = common;
  const record = (event: NewEvent) => {
    requireNoApproval(writing.db, actor, event);
    const tags = tagsOf(writing.db, event.featureName);
    const by = { createdAt: now, createdBy, createdByUserId };
    const stored = { ...DEFAULTS, tags, ...event, ...by, firstId: recorded[0] };
    const id = storeEvent(writing, stored);
    recorded.push(id);
    notifyMembers(writing, stored);
    enqueueDeliveries(writing, id, stored);
  };
  return { ...writing, ...common, actor, record };
}

const DEFAULTS = { environment: null, project: null, featureName: null, data: null, preData: null };

interface NotificationRow {
  id: number | null;
  message: string;
  link: string;
  notificationType: string;
  createdByUserId: number;
  createdAt: string;
  project: string | null;
}

export const insertNotification = command<NotificationRow>(`
  INSERT INTO notifications (id, message, link, type, created_by_user_id, created_at, project)
  VALUES (:id, :message, :link, :notificationType, :createdByUserId, :createdAt, :project)`);

/** The events that members are notified of, and the wording. */
const ACTIONS: Partial<Record<EventType, string>> = {
  "feature-created": "created the flag",
  "feature-archived": "archived the flag",
  "feature-environment-enabled": "enabled the flag",
  "feature-environment-disabled": "disabled the flag",
};

/** Stores what the members of the event's project are notified of; who that is, is found out when they read it. */
function notifyMembers(tx: Writing, event: StoredEvent & { type: EventType }) {
  const { project, createdAt, createdByUserId } = event;
  const action = ACTIONS[event.type];
  if (action === undefined || project === null) return;
  insertNotification(tx).run({
    id: null,
    ...sentenceOf(event, action),
    notificationType: "toggle",
    createdByUserId: createdByUserId ?? SYSTEM_USER_ID,
    createdAt,
    project,
  });
}

function sentenceOf({ createdBy, project, featureName, environment }: StoredEvent, action: string) {
  const where = environment === null ? "" : ` in ${environment}`;
  const [inProject, inFlag] = [project, featureName].map((name) => encodeURIComponent(name!.toWellFormed()));
  return {
    message: `${createdBy} ${action} ${featureName}${where}`,
    link: `/projects/${inProject}/features/${inFlag}`,
  };
}
