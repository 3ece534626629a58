import { type Database, query } from "../../db/statement.ts";
import { type PersonRow, toPerson } from "../../person.ts";
import type { EventCreator } from "./schema.ts";

// The index leads from one creator to the next, however many events each has; the first row is a placeholder.
const creators = query<{ hidden: string }, PersonRow>(`
  WITH RECURSIVE creators (id) AS (
    VALUES (-9223372036854775807)
    UNION ALL
    SELECT (SELECT wire ->> 'createdByUserId' FROM events WHERE wire ->> 'createdByUserId' > creators.id
      ORDER BY wire ->> 'createdByUserId' LIMIT 1)
    FROM creators WHERE creators.id IS NOT NULL
  )
  SELECT creators.id, users.name, username, email, image_url AS imageUrl
  FROM creators LEFT JOIN users ON users.id = creators.id
  WHERE EXISTS (
    SELECT 1 FROM events
    WHERE wire ->> 'createdByUserId' = creators.id
      AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY creators.id`);

/** The creators of visible events, users and tokens, by id. */
export const eventCreators = (db: Database, hidden: readonly string[]): EventCreator[] =>
  creators(db)
    .all({ hidden: JSON.stringify(hidden) })
    .map(toPerson)
    .map(({ id, name }) => ({ id, name }));
