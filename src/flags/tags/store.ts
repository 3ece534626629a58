import { type Database, query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";

const all = query<object, Tag>(`SELECT type, value FROM tags ORDER BY type, value`);

const ofType = query<{ type: string }, Tag>(`SELECT type, value FROM tags WHERE type = :type ORDER BY value`);

const byTypeAndValue = query<Tag, Tag>(`SELECT type, value FROM tags WHERE type = :type AND value = :value`);

/** All tags, used or not, by type and value. */
export const allTags = (db: Database): Tag[] => all(db).all({});

/** The tags of a type by value; none for an unknown type. */
export const tagsOfType = (db: Database, type: string): Tag[] => ofType(db).all({ type });

export const tagExists = (db: Database, tag: Tag): boolean => byTypeAndValue(db).get(tag) !== undefined;
