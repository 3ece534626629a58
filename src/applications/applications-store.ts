import * as v from "valibot";
import { SYSTEM } from "../access/actor.ts";
import { Flag, kind, Name, OptionalText, OptionalTime } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import {
  bookkeeping,
  command,
  fromStored,
  query,
  type Stored,
  toStored,
  valueQuery,
} from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { found } from "../lib/api-error.ts";
import {
  Application,
  type ApplicationSearch,
  type ApplicationUpdate,
  type ListedApplication,
} from "./applications-schema.ts";
import type { Application as Reported } from "./reports.ts";

type Row = Stored<Application>;

const COLUMNS = `name AS appName, created_at AS createdAt, updated_at AS updatedAt, description, strategies,
  created_by AS createdBy, url, color, icon`;

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM applications WHERE name = :name`);

/** An application that has registered or was described; undefined if there is none. */
export function applicationNamed(db: Database, name: string): Application | undefined {
  const row = byName(db).get({ name });
  return row && toApplication(row);
}

const toApplication = fromStored(Application);

/** SQL: the places that the tokens of an application, given as SQL, are for; not the one of a description, everywhere. */
const PLACES = (application: string) =>
  `application_places WHERE application = ${application} AND (project, environment) <> ('*', '*')`;

/**
 * SQL: whether an application, given as SQL, is not only that of projects in :hidden, a JSON list. It is, if its tokens
 * and the flags that it has used are theirs.
 */
export const SHOWN = (application: string) => `(:hidden = '[]'
  OR EXISTS (SELECT 1 FROM ${PLACES(application)} AND project NOT IN (SELECT value FROM json_each(:hidden)))
  OR EXISTS (SELECT 1 FROM usage_series JOIN features ON features.name = feature
    WHERE application = ${application} AND project NOT IN (SELECT value FROM json_each(:hidden)))
  OR NOT EXISTS (SELECT 1 FROM ${PLACES(application)}
    UNION ALL SELECT 1 FROM usage_series WHERE application = ${application}))`;

const shown = valueQuery<{ name: string; hidden: string }, 0 | 1>(`SELECT ${SHOWN(":name")}`);

/** Whether an application, known or not, belongs not only to hidden projects. */
export const isShown = (db: Database, name: string, hidden: readonly string[]) =>
  shown(db).get({ name, hidden: JSON.stringify(hidden) }) === 1;

/**
 * An application that has registered or was described.
 * @throws ApiError `NotFoundError`, also for one that only belongs to hidden projects
 */
export const requireApplication = (db: Database, name: string, hidden: readonly string[]): Application =>
  found(isShown(db, name, hidden) ? applicationNamed(db, name) : undefined, `application ${name}`);

/** A project and environment that an application's token is for. */
interface Place {
  application: string;
  project: string;
  environment: string;
}

const names = valueQuery<{ hidden: string }, string>(`
  SELECT name FROM applications WHERE ${SHOWN("name")} ORDER BY name`);

const named = query<{ names: string; hidden: string }, Row & { usage: string }>(`
  SELECT ${COLUMNS}, (
    SELECT json_group_array(json_object('project', project, 'environments', json(environments)) ORDER BY project)
    FROM (SELECT project, json_group_array(environment ORDER BY environment) AS environments
      FROM application_places WHERE application = name AND project NOT IN (SELECT value FROM json_each(:hidden))
      GROUP BY project)) AS usage
  FROM json_each(:names) AS page CROSS JOIN applications ON name = page.value ORDER BY page.key`);

/** A page of applications, by name. @param hiddenProjects are neither named, nor are applications that only they have */
export function searchApplications(
  db: Database,
  search: ApplicationSearch,
  hiddenProjects: readonly string[],
) {
  const hidden = JSON.stringify(hiddenProjects);
  const matching = matchingNames(names(db).all({ hidden }), search);
  const page = matching.slice(search.offset, search.offset + search.limit);
  const rows = named(db).all({ names: JSON.stringify(page), hidden });
  return { applications: rows.map(toListed), total: matching.length };
}

/** The names that match a search, in its order; expects them in ascending order. */
export function matchingNames(
  ascending: readonly string[],
  { query, sortOrder }: ApplicationSearch,
): string[] {
  const found = ascending.filter(
    (name) => query.length === 0 || query.some((word) => name.toUpperCase().includes(word.toUpperCase())),
  );
  return sortOrder === "desc" ? found.reverse() : found;
}

function toListed({ usage: places, ...row }: Row & { usage: string }): ListedApplication {
  const usage = JSON.parse(places) as ListedApplication["usage"];
  const { project = null, environments: [environment = null] = [] } = usage[0] ?? {};
  return { ...toApplication(row), project, environment, usage };
}

interface ApplicationRow extends Omit<Row, "appName"> {
  name: string;
  announced: 0 | 1;
}

const insertApplication = command<ApplicationRow>(`
  INSERT INTO applications (name, description, url, color, icon, strategies, created_by, created_at, updated_at,
    announced)
  VALUES (:name, :description, :url, :color, :icon, :strategies, :createdBy, :createdAt, :updatedAt, :announced)`);

type Registered = { name: string; strategies: string; createdBy: string; now: string };

const register = command<Registered>(`
  INSERT INTO applications (name, strategies, created_by, created_at, updated_at, announced)
  VALUES (:name, :strategies, :createdBy, :now, :now, 0)`);

// Keeps what was set by hand.
const registerAgain = bookkeeping<Registered>(`
  UPDATE applications SET strategies = :strategies, created_by = :createdBy, updated_at = :now WHERE name = :name`);

/** Stores a registration, or an application that reports usage without one; a new application is announced later. */
export function writeApplication(
  tx: Writing,
  { application: name, environment, projects, strategies: given, seenAt: now }: Reported,
) {
  const { createdBy } = SYSTEM; // counts as the creator (original)
  const registered = { name, strategies: JSON.stringify(given ?? []), createdBy, now };
  if (!applicationNamed(tx.db, name)) register(tx).run(registered);
  else if (given) registerAgain(tx).run(registered);
  for (const project of projects) ensurePlace(tx, { application: name, project, environment });
}

const insertPlace = command<Place>(`
  INSERT INTO application_places (application, project, environment) VALUES (:application, :project, :environment)`);

const placeExists = query<Place>(`
  SELECT 1 FROM application_places
  WHERE application = :application AND project = :project AND environment = :environment`);

/** Stores a project and environment that an application's token is for, unless already known. */
function ensurePlace(tx: Writing, place: Place) {
  if (placeExists(tx.db).get(place) === undefined) insertPlace(tx).run(place);
}

const unannounced = query<object, Row>(`
  SELECT ${COLUMNS} FROM applications WHERE announced = 0 ORDER BY name LIMIT 20`);

const privatePlaces = valueQuery<{ application: string }, string>(`
  SELECT min(project) FROM (SELECT project FROM ${PLACES(":application")}) LEFT JOIN projects ON id = project
  HAVING min(ifnull(mode, '') = 'private')`);

const setAnnounced = command<{ name: string }>(`UPDATE applications SET announced = 1 WHERE name = :name`);

/** Records an event for each of a batch of new applications. @returns whether there may be more */
export function announceApplications(tx: Tx): boolean {
  const batch = unannounced(tx.db).all({});
  for (const row of batch) {
    setAnnounced(tx).run({ name: row.appName });
    // Of a private project, if its tokens are for no other kind of project.
    const project = privatePlaces(tx.db).get({ application: row.appName }) ?? null;
    tx.record({ type: "application-created", project, data: toApplication(row) });
  }
  return batch.length > 0;
}

const describe = command<
  Omit<ApplicationRow, "createdBy" | "createdAt" | "updatedAt" | "announced"> & { now: string }
>(`
  INSERT INTO applications (name, description, url, color, icon, strategies, created_at, updated_at, announced)
  VALUES (:name, :description, :url, :color, :icon, :strategies, :now, :now, 0)
  ON CONFLICT DO UPDATE SET description = excluded.description, url = excluded.url, color = excluded.color,
    icon = excluded.icon, strategies = excluded.strategies, updated_at = excluded.updated_at`);

/** Sets an application's description; creates it if it hasn't registered, without an event for now. */
export function describeApplication(tx: Tx, name: string, change: ApplicationUpdate) {
  const described = { ...applicationNamed(tx.db, name), ...change };
  const { description = null, url = null, color = null, icon = null } = described;
  const strategies = JSON.stringify(described.strategies ?? []);
  describe(tx).run({ name, description, url, color, icon, strategies, now: tx.now });
  ensurePlace(tx, { application: name, project: "*", environment: "*" }); // (original)
}

const remove = command<{ name: string }>(`DELETE FROM applications WHERE name = :name`);

const removeInstancesOf = command<{ name: string }>(
  `DELETE FROM application_instances WHERE application = :name`,
);

/** Deletes an application and its instances; it reappears as soon as it registers again. */
export function removeApplication(tx: Tx, name: string) {
  removeInstancesOf(tx).run({ name });
  remove(tx).run({ name });
}

const applications = query<object, object>(`
  SELECT name, description, url, color, icon, strategies, created_by AS createdBy, created_at AS createdAt,
    updated_at AS updatedAt, announced,
    (SELECT json_group_array(json_object('project', project, 'environment', environment)
        ORDER BY project, environment)
      FROM application_places WHERE application = name) AS places
  FROM applications ORDER BY name`);

/** Its line in a dataset. */
export const application = kind({
  name: "application",
  schema: v.strictObject({
    name: Name,
    description: OptionalText,
    url: OptionalText,
    color: OptionalText,
    icon: OptionalText,
    strategies: v.optional(v.array(v.string()), []),
    createdBy: OptionalText,
    createdAt: OptionalTime,
    updatedAt: OptionalTime,
    announced: Flag(true),
    places: v.optional(v.array(v.strictObject({ project: Name, environment: Name })), []),
  }),
  insert({ tx, now }, { places, ...line }) {
    const createdAt = line.createdAt ?? now;
    const updatedAt = line.updatedAt ?? createdAt;
    insertApplication(tx).run(toStored({ ...line, createdAt, updatedAt }));
    for (const place of places) insertPlace(tx).run({ application: line.name, ...place });
  },
  rows: (db) => applications(db).iterate({}),
});
