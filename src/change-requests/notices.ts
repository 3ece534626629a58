import { actorOf } from "../access/authenticate.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { notify } from "../log/notifications.ts";
import { mayApprove, type Place } from "./approval.ts";
import { type Row, reviewersOf, scheduleOf } from "./store.ts";

const userIds = valueQuery<object, number>(`SELECT id FROM users WHERE account_type = 'User' ORDER BY id`);

/** The ids of the users who may approve a request; `createdBy` is none of them, unless an Admin. */
export const possibleReviewers = (db: Database, row: Place): number[] =>
  userIds(db)
    .all({})
    .filter((id) => {
      const actor = actorOf(db, id)!;
      return mayApprove(db, actor, row) && !hiddenProjects(db, actor).includes(row.project);
    });

/** Tells those who were asked to approve and may, or if there are none, everyone who may. */
export function tellReviewers(tx: Tx, row: Row) {
  const possible = possibleReviewers(tx.db, row);
  const asked = reviewersOf(tx.db, row.id).filter((id) => possible.includes(id));
  tell(tx, row, "asks for approval of", asked.length > 0 ? asked : possible);
}

export const tellAuthor = (tx: Tx, row: Row, verb: string) => tell(tx, row, verb, [row.createdBy]);

/** The same for whoever scheduled it, too. */
export function tellScheduler(tx: Tx, row: Row, verb: string) {
  const scheduledBy = scheduleOf(row)?.scheduledBy;
  tell(tx, row, verb, scheduledBy === undefined ? [row.createdBy] : [row.createdBy, scheduledBy]);
}

function tell(tx: Tx, { id, project, title }: Row, verb: string, users: readonly number[]) {
  const name = title === null ? `change request #${id}` : `change request #${id} (${title})`;
  const others = new Set(users.filter((user) => user !== tx.actor.userId));
  notify(tx, others, {
    message: `${tx.actor.createdBy} ${verb} ${name}`,
    link: `/projects/${encodeURIComponent(project.toWellFormed())}/change-requests/${id}`,
    notificationType: "change-request",
  });
}
