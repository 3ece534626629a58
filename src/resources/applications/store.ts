import { type Database, query } from "../../db/statement.ts";
import type { Application, ApplicationSearch, ListedApplication } from "./schema.ts";

type Row = Omit<Application, "strategies"> & { strategies: string };

const COLUMNS = `name AS appName, created_at AS createdAt, updated_at AS updatedAt, description, strategies,
  created_by AS createdBy, url, color, icon`;

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM applications WHERE name = :name`);

const unannouncedRows = query<object, Row>(`
  SELECT ${COLUMNS} FROM applications WHERE announced = 0 ORDER BY name LIMIT 20`);

const names = query<object, string>(`SELECT name FROM applications ORDER BY name`);

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

const placeExists = query<Place>(`
  SELECT 1 FROM application_places
  WHERE application = :application AND project = :project AND environment = :environment`);

export const hasPlace = (db: Database, place: Place) => placeExists(db).get(place) !== undefined;

/** An application that has registered or was described; undefined if there is none. */
export function applicationNamed(db: Database, name: string): Application | undefined {
  const row = byName(db).get({ name });
  return row && toApplication(row);
}

/** A batch of applications not yet announced by an event. */
export const unannounced = (db: Database): Application[] => unannouncedRows(db).all({}).map(toApplication);

/** A page of applications, by name. @param hidden projects that must not be named */
export function searchApplications(db: Database, search: ApplicationSearch, hidden: readonly string[]) {
  const found = matchingNames(names(db).pluck().all({}), search);
  const page = found.slice(search.offset, search.offset + search.limit);
  const bind = { names: JSON.stringify(page) };
  const places = placesOf(db).all({ ...bind, hidden: JSON.stringify(hidden) });
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
