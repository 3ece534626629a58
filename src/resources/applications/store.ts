import { type Database, query } from "../../db/statement.ts";

const known = query<{ name: string }>(`SELECT 1 FROM applications WHERE name = :name`);

/** Whether an application has registered, or was described. */
export const isKnownApplication = (db: Database, name: string) => known(db).get({ name }) !== undefined;
