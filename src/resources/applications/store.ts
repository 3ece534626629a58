import { type Database, query } from "../../db/statement.ts";
import type { Application } from "./schema.ts";

const known = query<{ name: string }>(`SELECT 1 FROM applications WHERE name = :name`);

/** Whether an application has registered, or was described. */
export const isKnownApplication = (db: Database, name: string) => known(db).get({ name }) !== undefined;

type Row = Omit<Application, "strategies"> & { strategies: string };

const COLUMNS = `name AS appName, created_at AS createdAt, updated_at AS updatedAt, description, strategies,
  created_by AS createdBy, url, color, icon`;

const unannouncedOnes = query<object, Row>(`
  SELECT ${COLUMNS} FROM applications WHERE announced = 0 ORDER BY name LIMIT 20`);

/** Some applications of which no event tells yet. */
export const unannounced = (db: Database): Application[] => unannouncedOnes(db).all({}).map(toApplication);

const toApplication = ({ strategies, ...row }: Row): Application => ({
  ...row,
  strategies: JSON.parse(strategies),
});
