import { type Database, query } from "../../db/statement.ts";
import type { FrontendSettings, Maintenance } from "./schema.ts";

/** The settings, under the original's names, with their defaults. */
export interface Settings {
  "unleash.frontend": FrontendSettings;
  "maintenance.mode": Maintenance;
}

const DEFAULTS: Settings = {
  "unleash.frontend": { frontendApiOrigins: ["*"] },
  "maintenance.mode": { enabled: false },
};

const contentOf = query<{ name: string }, string>(`SELECT content FROM settings WHERE name = :name`);

/** The stored value; undefined if it was never set. */
export function storedSetting<N extends keyof Settings>(db: Database, name: N): Settings[N] | undefined {
  const content = contentOf(db).pluck().get({ name });
  return content === undefined ? undefined : JSON.parse(content);
}

/** The stored value, or else the default. */
export const setting = <N extends keyof Settings>(db: Database, name: N): Settings[N] =>
  storedSetting(db, name) ?? DEFAULTS[name];
