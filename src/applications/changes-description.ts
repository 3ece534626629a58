import { command } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { type ApplicationRow, ensurePlace, insertApplication } from "./changes.ts";
import type { ApplicationUpdate } from "./schema.ts";
import { applicationNamed } from "./store.ts";

type DescriptionRow = Omit<ApplicationRow, "createdBy" | "createdAt" | "updatedAt" | "announced"> & {
  now: string;
};

const update = command<DescriptionRow>(`
  UPDATE applications SET description = :description, url = :url, color = :color, icon = :icon,
    strategies = :strategies, updated_at = :now
  WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM applications WHERE name = :name`);
const removeInstances = command<{ name: string }>(
  `DELETE FROM application_instances WHERE application = :name`,
);

/** Sets an application's description; creates it if it hasn't registered, without an event for now. */
export function describeApplication(tx: Tx, name: string, change: ApplicationUpdate) {
  const existing = applicationNamed(tx.db, name);
  const {
    description = null,
    url = null,
    color = null,
    icon = null,
    strategies = [],
  } = { ...existing, ...change };
  const row = { name, description, url, color, icon, strategies: JSON.stringify(strategies) };
  const { now } = tx;
  if (existing) update(tx).run({ ...row, now });
  else insertApplication(tx).run({ ...row, createdBy: null, createdAt: now, updatedAt: now, announced: 0 });
  ensurePlace(tx, { application: name, project: "*", environment: "*" }); // (original)
}

/** Deletes an application and its instances; it reappears as soon as it registers again. */
export function removeApplication(tx: Tx, name: string) {
  removeInstances(tx).run({ name });
  remove(tx).run({ name });
}
