import { SYSTEM } from "../../auth/actor.ts";
import { bookkeeping, command } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import type { Tx } from "../../events/write.ts";
import type { Application, Instance } from "../usage/gathered.ts";
import { applicationNamed, isPlace, type Place, unannounced } from "./store.ts";

export interface ApplicationRow {
  name: string;
  description: string | null;
  url: string | null;
  color: string | null;
  icon: string | null;
  /** JSON. */
  strategies: string;
  createdBy: string | null;
  createdAt: string;
  updatedAt: string;
  announced: 0 | 1;
}

export const insertApplication = command<ApplicationRow>(`
  INSERT INTO applications (name, description, url, color, icon, strategies, created_by, created_at, updated_at,
    announced)
  VALUES (:name, :description, :url, :color, :icon, :strategies, :createdBy, :createdAt, :updatedAt, :announced)`);

// What was set by hand is kept.
const registerAgain = bookkeeping<{ name: string; strategies: string; createdBy: string; now: string }>(`
  UPDATE applications SET strategies = :strategies, created_by = :createdBy, updated_at = :now WHERE name = :name`);

export const insertPlace = command<Place>(`
  INSERT INTO application_places (application, project, environment) VALUES (:application, :project, :environment)`);

export type InstanceRow = Omit<Instance, "kind"> & { createdAt: string };

export const insertInstance = bookkeeping<InstanceRow>(`
  INSERT INTO application_instances (application, environment, instance, sdk_version, client_ip, created_at,
    last_seen_at)
  VALUES (:application, :environment, :instance, :sdkVersion, :clientIp, :createdAt, :seenAt)
  ON CONFLICT DO UPDATE SET sdk_version = ifnull(excluded.sdk_version, sdk_version),
    client_ip = excluded.client_ip, last_seen_at = excluded.last_seen_at`);

/** Stores a registration; a new application is announced later. */
export function writeApplication(tx: Writing, { application: name, environment, ...said }: Application) {
  const { seenAt: now } = said;
  const strategies = JSON.stringify(said.strategies);
  const { createdBy } = SYSTEM; // counts as the creator (original)
  if (applicationNamed(tx.db, name)) registerAgain(tx).run({ name, strategies, createdBy, now });
  else insertApplication(tx).run({ ...UNSAID, name, strategies, createdBy, createdAt: now, updatedAt: now });
  for (const project of said.projects) ensurePlace(tx, { application: name, project, environment });
}

/** Stores what an application's token is for, which is usually known already. */
export function ensurePlace(tx: Writing, place: Place) {
  if (!isPlace(tx.db, place)) insertPlace(tx).run(place);
}

const UNSAID = { description: null, url: null, color: null, icon: null, announced: 0 } as const;

const setAnnounced = command<{ name: string }>(`UPDATE applications SET announced = 1 WHERE name = :name`);

/** Records an event for each new application, in batches. @returns whether there are more */
export function announceApplications(tx: Tx): boolean {
  const found = unannounced(tx.db);
  for (const application of found) {
    setAnnounced(tx).run({ name: application.appName });
    tx.record({ type: "application-created", data: application });
  }
  return found.length > 0;
}

const removeInstances = bookkeeping<{ before: string; most: number }>(`
  DELETE FROM application_instances WHERE (application, environment, instance) IN (
    SELECT application, environment, instance FROM application_instances WHERE last_seen_at < :before LIMIT :most)`);

/** Deletes instances not seen since a time, in batches. @returns how many were deleted */
export const removeOldInstances = (tx: Writing, before: string, most: number): number =>
  removeInstances(tx).run({ before, most }).changes;

/** Stores an instance of an application. */
export const writeInstance = (tx: Writing, { kind: _, ...instance }: Instance) =>
  insertInstance(tx).run({ ...instance, createdAt: instance.seenAt });
