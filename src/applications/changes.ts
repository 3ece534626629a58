import { SYSTEM } from "../access/actor.ts";
import { bookkeeping, command } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { applicationNamed, hasPlace, type Place, privateHome, unannounced } from "./store.ts";
import type { Application, Instance } from "./usage/gathered.ts";

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

// Keeps what was set by hand.
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

/** Stores a registration, or an application that reports usage without one; a new application is announced later. */
export function writeApplication(
  tx: Writing,
  { application: name, environment, projects, strategies: given, seenAt: now }: Application,
) {
  const strategies = JSON.stringify(given ?? []);
  const { createdBy } = SYSTEM; // counts as the creator (original)
  if (!applicationNamed(tx.db, name))
    insertApplication(tx).run({
      ...NO_DESCRIPTION,
      name,
      strategies,
      createdBy,
      createdAt: now,
      updatedAt: now,
    });
  else if (given) registerAgain(tx).run({ name, strategies, createdBy, now });
  for (const project of projects) ensurePlace(tx, { application: name, project, environment });
}

/** Stores a project and environment that an application's token is for, unless already known. */
export function ensurePlace(tx: Writing, place: Place) {
  if (!hasPlace(tx.db, place)) insertPlace(tx).run(place);
}

const NO_DESCRIPTION = { description: null, url: null, color: null, icon: null, announced: 0 } as const;

const setAnnounced = command<{ name: string }>(`UPDATE applications SET announced = 1 WHERE name = :name`);

/** Records an event for each of a batch of new applications. @returns whether there may be more */
export function announceApplications(tx: Tx): boolean {
  const batch = unannounced(tx.db);
  for (const application of batch) {
    setAnnounced(tx).run({ name: application.appName });
    const project = privateHome(tx.db, application.appName);
    tx.record({ type: "application-created", project, data: application });
  }
  return batch.length > 0;
}

const removeInstances = bookkeeping<{ before: string; limit: number }>(`
  DELETE FROM application_instances WHERE (application, environment, instance) IN (
    SELECT application, environment, instance FROM application_instances WHERE last_seen_at < :before LIMIT :limit)`);

/** Deletes a batch of instances not seen since a time. @returns how many were deleted */
export const removeOldInstances = (tx: Writing, before: string, limit: number): number =>
  removeInstances(tx).run({ before, limit }).changes;

/** Stores an instance of an application. */
export const writeInstance = (tx: Writing, { kind: _, ...instance }: Instance) =>
  insertInstance(tx).run({ ...instance, createdAt: instance.seenAt });
