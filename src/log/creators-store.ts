import { SERVICE_USER_ID, SYSTEM_USER_ID } from "../access/actor.ts";
import { type Database, query } from "../db/statement.ts";
import type { EventCreator } from "./schema.ts";

// The index leads from one creator to the next, however many events each has; the first row is a placeholder.
// Deleted users have the name under which they created an event.
const creators = query<{ hidden: string }, EventCreator>(`
  WITH RECURSIVE creators (id) AS (
    VALUES (-9223372036854775807)
    UNION ALL
    SELECT (SELECT wire ->> 'createdByUserId' FROM events WHERE wire ->> 'createdByUserId' > creators.id
      ORDER BY wire ->> 'createdByUserId' LIMIT 1)
    FROM creators WHERE creators.id IS NOT NULL
  )
  SELECT creators.id, coalesce(users.name, username, email, (SELECT wire ->> 'createdBy' FROM events
    WHERE wire ->> 'createdByUserId' = creators.id LIMIT 1)) AS name
  FROM creators LEFT JOIN users ON users.id = creators.id
  WHERE EXISTS (
    SELECT 1 FROM events
    WHERE wire ->> 'createdByUserId' = creators.id
      AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY creators.id`);

/** The system is always there, as in the original, since it has created what a new file has. */
const SYSTEM: EventCreator = { id: SYSTEM_USER_ID, name: "Unleash System" };

/** The creators of visible events by id: users, the system, and all service tokens as one. */
export const eventCreators = (db: Database, hidden: readonly string[]): EventCreator[] => [
  SYSTEM,
  ...creators(db)
    .all({ hidden: JSON.stringify(hidden) })
    .filter(({ id }) => id !== SYSTEM_USER_ID)
    .map(({ id, name }) => ({ id, name: id === SERVICE_USER_ID ? "Unleash Admin Token" : name })),
];
