import { type Database, query } from "../../db/statement.ts";
import type { TagType } from "./schema.ts";

const all = query<object, TagType>(`
  SELECT name, description, icon FROM tag_types ORDER BY name <> 'simple', name`);

const byName = query<{ name: string }, TagType>(`
  SELECT name, description, icon FROM tag_types WHERE name = :name`);

/** The built-in tag type, then the others by name. */
export const tagTypes = (db: Database): TagType[] => all(db).all({});

export const tagTypeNamed = (db: Database, name: string): TagType | undefined => byName(db).get({ name });
