import { type Database, query } from "../db/statement.ts";
import { DAY_MS } from "../lib/hour.ts";
import { startOfMinute } from "../lib/minute.ts";
import { idSince } from "../log/store.ts";
import type { FeatureTypeCount, Insights, LeadTime, Stats } from "./projects-schema.ts";
import { EXPIRED, toHealth } from "./projects-store.ts";

/** From a time up to, but not including, another; RFC 3339. */
interface Window {
  since: string;
  until: string;
}

/** The thirty whole days before today in UTC, and the thirty before those. */
function windows(): { current: Window; past: Window } {
  const today = Math.floor(startOfMinute() / DAY_MS) * DAY_MS;
  const [end, middle, begin] = [0, 30, 60].map((days) => new Date(today - days * DAY_MS).toISOString());
  return { current: { since: middle!, until: end! }, past: { since: begin!, until: middle! } };
}

const countsIn = query<Window & { project: string }, Record<"created" | "archived", number>>(`
  SELECT count(*) FILTER (WHERE created_at >= :since AND created_at < :until) AS created,
    count(*) FILTER (WHERE archived_at >= :since AND archived_at < :until) AS archived
  FROM features WHERE project = :project`);

const eventsBetween = query<{ project: string; from: number; to: number }, number>(`
  SELECT count(*) FROM events WHERE project = :project AND id >= :from AND id < :to`);

const membersBetween = query<{ project: string; from: number; to: number }, number>(`
  SELECT count(*) FROM events
  WHERE type = 'project-user-added' AND project = :project AND id >= :from AND id < :to`);

const typesOf = query<{ project: string }, FeatureTypeCount>(`
  SELECT type, count(*) AS count FROM features WHERE project = :project AND archived_at IS NULL
  GROUP BY type ORDER BY type`);

const healthOf = query<
  { project: string; now: string },
  Record<"total" | "stale" | "potentiallyStale", number>
>(`
  WITH ${EXPIRED}
  SELECT count(*) AS total, count(*) FILTER (WHERE stale) AS stale,
    count(*) FILTER (WHERE NOT stale AND created_at < expired.before) AS potentiallyStale
  FROM features LEFT JOIN expired ON expired.type = features.type
  WHERE project = :project AND archived_at IS NULL`);

// From a flag's creation until it first reached production. Flags that never did are left out, and so are the events
// of earlier flags of the same name.
const leadTimes = query<{ project: string }, { name: string; days: number }>(`
  SELECT features.name, julianday(min(wire ->> 'createdAt')) - julianday(features.created_at) AS days
  FROM events JOIN features ON features.name = feature_name AND features.project = :project
  JOIN environments ON environments.name = wire ->> 'environment' AND environments.type = 'production'
  WHERE events.project = :project AND events.type = 'feature-environment-enabled' AND features.archived_at IS NULL
    AND wire ->> 'createdAt' >= features.created_at
  GROUP BY features.name ORDER BY features.name`);

/** A project's activity in two windows of thirty days. */
export function projectStats(db: Database, project: string): Stats {
  const { current, past } = windows();
  const ids = [past.since, past.until, current.until].map((time) => idSince(db, time)) as [
    number,
    number,
    number,
  ];
  const between = { project, from: ids[1], to: ids[2] };
  const [now, before] = [current, past].map((window) => countsIn(db).get({ project, ...window })!);
  return {
    avgTimeToProdCurrentWindow: leadTime(db, project).projectAverage,
    createdCurrentWindow: now!.created,
    createdPastWindow: before!.created,
    archivedCurrentWindow: now!.archived,
    archivedPastWindow: before!.archived,
    projectActivityCurrentWindow: eventsBetween(db).pluck().get(between)!,
    projectActivityPastWindow: eventsBetween(db).pluck().get({ project, from: ids[0], to: ids[1] })!,
    projectMembersAddedCurrentWindow: membersBetween(db).pluck().get(between)!,
  };
}

/** The number of a project's live flags per type. */
export const featureTypeCounts = (db: Database, project: string): FeatureTypeCount[] =>
  typesOf(db).all({ project });

/** How many days flags took to reach production, individually and on average. */
export function leadTime(db: Database, project: string): LeadTime {
  const features = leadTimes(db)
    .all({ project })
    .map(({ name, days }) => ({ name, timeToProduction: round(days) }));
  const sum = features.reduce((total, { timeToProduction }) => total + timeToProduction, 0);
  return { features, projectAverage: features.length === 0 ? 0 : round(sum / features.length) };
}

const round = (days: number) => Math.round(days * 10) / 10;

/** The health of a project's live flags. */
export function projectHealth(db: Database, project: string): Insights["health"] {
  const now = new Date(startOfMinute()).toISOString();
  const { total, stale, potentiallyStale } = healthOf(db).get({ project, now })!;
  const unhealthyCount = stale + potentiallyStale;
  return {
    activeCount: total - unhealthyCount,
    potentiallyStaleCount: potentiallyStale,
    staleCount: stale,
    rating: toHealth({ featureCount: total, unhealthyCount }),
  };
}
