import { type Database, query } from "../db/statement.ts";
import type { Application, ApplicationSearch, ListedApplication } from "./schema.ts";

type Row = Omit<Application, "strategies"> & { strategies: string };

const COLUMNS = `name AS appName, created_at AS createdAt, updated_at AS updatedAt, description, strategies,
  created_by AS createdBy, url, color, icon`;

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM applications WHERE name = :name`);

const unannouncedRows = query<object, Row>(`
  SELECT ${COLUMNS} FROM applications WHERE announced = 0 ORDER BY name LIMIT 20`);

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

const shown = query<{ name: string; hidden: string }, 0 | 1>(`SELECT ${SHOWN(":name")}`);

const names = query<{ hidden: string }, string>(`
  SELECT name FROM applications WHERE ${SHOWN("name")} ORDER BY name`);

const named = query<{ names: string }, Row>(`
  SELECT ${COLUMNS} FROM json_each(:names) AS page CROSS JOIN applications ON name = page.value ORDER BY page.key`);

/** A project and environment that an application's token is for. */
export interface Place {
  application: string;
  project: string;
  environment: string;
}

const placesOf = query<{ names: string; hidden: string }, Place>(`
  SELECT application, project, environment
  FROM json_each(:names) AS page CROSS JOIN application_places ON application = page.value
  WHERE project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY page.key, project, environment`);

const privatePlaces = query<{ application: string }, string>(`
  SELECT min(project) FROM (SELECT project FROM ${PLACES(":application")}) LEFT JOIN projects ON id = project
  HAVING min(ifnull(mode, '') = 'private')`);

/** The private project that an application's tokens are for, if they are for no other kind of project; else null. */
export const privateHome = (db: Database, application: string): string | null =>
  privatePlaces(db).pluck().get({ application }) ?? null;

const placeExists = query<Place>(`
  SELECT 1 FROM application_places
  WHERE application = :application AND project = :project AND environment = :environment`);

export const hasPlace = (db: Database, place: Place) => placeExists(db).get(place) !== undefined;

/** An application that has registered or was described; undefined if there is none. */
export function applicationNamed(db: Database, name: string): Application | undefined {
  const row = byName(db).get({ name });
  return row && toApplication(row);
}

/** Whether an application, known or not, belongs not only to hidden projects. */
export const isShown = (db: Database, name: string, hidden: readonly string[]) =>
  shown(db)
    .pluck()
    .get({ name, hidden: JSON.stringify(hidden) }) === 1;

/** A batch of applications not yet announced by an event. */
export const unannounced = (db: Database): Application[] => unannouncedRows(db).all({}).map(toApplication);

/** A page of applications, by name. @param hiddenProjects are neither named, nor are applications that only they have */
export function searchApplications(
  db: Database,
  search: ApplicationSearch,
  hiddenProjects: readonly string[],
) {
  const hidden = JSON.stringify(hiddenProjects);
  const found = matchingNames(names(db).pluck().all({ hidden }), search);
  const page = found.slice(search.offset, search.offset + search.limit);
  const bind = { names: JSON.stringify(page), hidden };
  const places = placesOf(db).all(bind);
  const byApplication = Map.groupBy(places, ({ application }) => application);
  return {
    applications: named(db)
      .all(bind)
      .map((row) => toListed(row, byApplication.get(row.appName) ?? [])),
    total: found.length,
  };
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

function toListed(row: Row, places: Place[]): ListedApplication {
  const { project = null, environment = null } = places[0] ?? {};
  const usage = [...Map.groupBy(places, (place) => place.project)].map(([name, group]) => ({
    project: name,
    environments: group.map((place) => place.environment),
  }));
  return { ...toApplication(row), project, environment, usage };
}

const toApplication = ({ strategies, ...row }: Row): Application => ({
  ...row,
  strategies: JSON.parse(strategies),
});
