import { type Database, query } from "../../db/statement.ts";
import type { FrontendSettings, Maintenance } from "./schema.ts";

/** What can be set, by the original's names, and what holds until it is. */
export interface Settings {
  "unleash.frontend": FrontendSettings;
  "maintenance.mode": Maintenance;
}

const DEFAULTS: Settings = {
  "unleash.frontend": { frontendApiOrigins: ["*"] },
  "maintenance.mode": { enabled: false },
};

const contentOf = query<{ name: string }, string>(`SELECT content FROM settings WHERE name = :name`);

/** What was set; undefined for nothing. */
export function storedSetting<N extends keyof Settings>(db: Database, name: N): Settings[N] | undefined {
  const content = contentOf(db).pluck().get({ name });
  return content === undefined ? undefined : JSON.parse(content);
}

/** What holds. */
export const setting = <N extends keyof Settings>(db: Database, name: N): Settings[N] =>
  storedSetting(db, name) ?? DEFAULTS[name];
