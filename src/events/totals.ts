import { command, type Database, query } from "../db/statement.ts";

/*
 * The number of events per project and type, maintained rather than counted.
 */

export const addToTotal = command<{ project: string; type: string; count: number }>(`
  INSERT INTO event_totals (project, type, count) VALUES (:project, :type, :count)
  ON CONFLICT DO UPDATE SET count = count + :count`);

const countOfAll = query<object, number>(`SELECT ifnull(sum(count), 0) FROM event_totals`);

/** The exact number of events. */
export const countAllEvents = (db: Database): number => countOfAll(db).pluck().get({})!;
