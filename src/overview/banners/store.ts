import { type Database, query } from "../../db/statement.ts";
import type { Banner } from "./schema.ts";

type Row = Omit<Banner, "enabled" | "sticky"> & { enabled: 0 | 1; sticky: 0 | 1 };

const COLUMNS = `id, message, enabled, variant, sticky, icon, link, link_text AS linkText,
  dialog_title AS dialogTitle, dialog, created_at AS createdAt`;

const all = query<object, Row>(`SELECT ${COLUMNS} FROM banners ORDER BY id`);

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} FROM banners WHERE id = :id`);

/** All banners by id, including disabled ones. */
export const banners = (db: Database): Banner[] => all(db).all({}).map(toBanner);

/** An existing banner. */
export const bannerById = (db: Database, id: number): Banner => toBanner(byId(db).get({ id })!);

const toBanner = (row: Row): Banner => ({ ...row, enabled: row.enabled === 1, sticky: row.sticky === 1 });
