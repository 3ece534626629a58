import { type Database, query } from "../../db/statement.ts";
import type { FeatureType } from "./schema.ts";

const COLUMNS = "id, name, description, lifetime_days AS lifetimeDays";

const inOrder = query<object, FeatureType>(`SELECT ${COLUMNS} FROM feature_types ORDER BY sort_order, id`);

const byId = query<{ id: string }, FeatureType>(`SELECT ${COLUMNS} FROM feature_types WHERE id = :id`);

/** All flag types. */
export const featureTypes = (db: Database): FeatureType[] => inOrder(db).all({});

/** The type with this id; undefined for none. */
export const featureTypeById = (db: Database, id: string): FeatureType | undefined => byId(db).get({ id });
