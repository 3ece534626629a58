import { imageUrlOf, type PersonRow } from "../access/person.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";

const named = query<{ ids: string }, PersonRow & { id: number }>(`
  SELECT id, name, username, email, image_url AS imageUrl FROM users
  WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id`);

/** Users as reviewers, by id. */
export const reviewersNamed = (db: Database, ids: readonly number[]) =>
  named(db)
    .all({ ids: JSON.stringify(ids) })
    .map((row) => ({ ...row, imageUrl: imageUrlOf(row) }));
