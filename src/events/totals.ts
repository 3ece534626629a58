import { command, type Database, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";

/*
 * The number of events per project and type, maintained rather than counted.
 */

const addToTotal = command<{ project: string; type: string; count: number }>(`
  INSERT INTO event_totals (project, type, count) VALUES (:project, :type, :count)
  ON CONFLICT DO UPDATE SET count = count + :count`);

/** Counts events of a transaction, which must end by storing how many there were. */
export function countEvents(tx: Writing) {
  const totals = new Map<string, { project: string; type: string; count: number }>();
  return {
    add({ project, type }: { project: string | null; type: string }) {
      const key = `${type} ${project ?? ""}`; // no type has a space
      const total = totals.get(key);
      if (total) total.count++;
      else totals.set(key, { project: project ?? "", type, count: 1 });
    },
    store() {
      for (const total of totals.values()) addToTotal(tx).run(total);
    },
  };
}

const countOfAll = query<object, number>(`SELECT ifnull(sum(count), 0) FROM event_totals`);

/** The exact number of events. */
export const countAllEvents = (db: Database): number => countOfAll(db).pluck().get({})!;
