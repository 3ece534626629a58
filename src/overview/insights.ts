import * as v from "valibot";
import { type Database, snapshot } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
import { DAY_MS, startOfMinute } from "../lib/time.ts";
import { idSince } from "../log/store.ts";
import { MEMBER_COUNT, projectHealth, requireProject } from "../projects/projects-store.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Activity in the thirty whole days before today, and in the thirty before those. */
export const Stats = v.strictObject({
  avgTimeToProdCurrentWindow: v.number(),
  createdCurrentWindow: Count,
  createdPastWindow: Count,
  archivedCurrentWindow: Count,
  archivedPastWindow: Count,
  projectActivityCurrentWindow: Count,
  projectActivityPastWindow: Count,
  projectMembersAddedCurrentWindow: Count,
});
type Stats = v.InferOutput<typeof Stats>;

export const FeatureTypeCount = v.strictObject({ type: v.string(), count: Count });
type FeatureTypeCount = v.InferOutput<typeof FeatureTypeCount>;

/** How many days flags took from their creation to production. */
export const LeadTime = v.strictObject({
  features: v.array(v.strictObject({ name: v.string(), timeToProduction: v.number() })),
  projectAverage: v.number(),
});
type LeadTime = v.InferOutput<typeof LeadTime>;

export const Insights = v.strictObject({
  stats: Stats,
  featureTypeCounts: v.array(FeatureTypeCount),
  health: v.strictObject({
    activeCount: Count,
    potentiallyStaleCount: Count,
    staleCount: Count,
    rating: v.number(),
  }),
  leadTime: LeadTime,
  members: v.strictObject({ currentMembers: Count, change: v.number() }),
});

/** What all reads of a project have in common. */
export const ofProject = {
  tag: "Projects",
  path: "/api/admin/projects/:projectId",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
} as const;

export const readInsights = GET({
  ...ofProject,
  id: "getProjectInsights",
  summary: "A project's recent activity and health",
  path: `${ofProject.path}/insights`,
  errors: ["NotFoundError"],
  response: Insights,
}).run(({ db, params: { projectId } }) =>
  snapshot(db, () => {
    requireProject(db, projectId);
    const stats = projectStats(db, projectId);
    return {
      stats,
      featureTypeCounts: featureTypeCounts(db, projectId),
      health: projectHealth(db, projectId),
      leadTime: leadTime(db, projectId),
      members: {
        currentMembers: members(db).pluck().get({ id: projectId })!,
        change: stats.projectMembersAddedCurrentWindow,
      },
    };
  }),
);

export const readDora = GET({
  ...ofProject,
  id: "getProjectDora",
  summary: "How long a project's flags took to reach production",
  path: `${ofProject.path}/dora`,
  response: LeadTime,
}).run(({ db, params: { projectId } }) => leadTime(db, projectId));

const members = query<{ id: string }, number>(`SELECT ${MEMBER_COUNT} FROM projects WHERE id = :id`);

/** A project's activity in two windows of thirty days. */
export function projectStats(db: Database, project: string): Stats {
  const today = Math.floor(startOfMinute() / DAY_MS) * DAY_MS;
  const daysAgo = (days: number) => new Date(today - days * DAY_MS).toISOString();
  const times = { begin: daysAgo(60), middle: daysAgo(30), end: daysAgo(0) };
  const [begin, middle, end] = [idSince(db, times.begin), idSince(db, times.middle), idSince(db, times.end)];
  return {
    avgTimeToProdCurrentWindow: leadTime(db, project).projectAverage,
    ...flagsIn(db).get({ project, ...times })!,
    ...eventsIn(db).get({ project, begin, middle, end })!,
    projectMembersAddedCurrentWindow: membersIn(db).pluck().get({ project, middle, end })!,
  };
}

type Windows<T> = { project: string } & Record<"begin" | "middle" | "end", T>;

const flagsIn = query<Windows<string>, Pick<Stats, `${"created" | "archived"}${"Current" | "Past"}Window`>>(`
  SELECT count(*) FILTER (WHERE created_at >= :middle AND created_at < :end) AS createdCurrentWindow,
    count(*) FILTER (WHERE created_at >= :begin AND created_at < :middle) AS createdPastWindow,
    count(*) FILTER (WHERE archived_at >= :middle AND archived_at < :end) AS archivedCurrentWindow,
    count(*) FILTER (WHERE archived_at >= :begin AND archived_at < :middle) AS archivedPastWindow
  FROM features WHERE project = :project`);

const eventsIn = query<Windows<number>, Pick<Stats, `projectActivity${"Current" | "Past"}Window`>>(`
  SELECT count(*) FILTER (WHERE id >= :middle) AS projectActivityCurrentWindow,
    count(*) FILTER (WHERE id < :middle) AS projectActivityPastWindow
  FROM events WHERE project = :project AND id >= :begin AND id < :end`);

const membersIn = query<Omit<Windows<number>, "begin">, number>(`
  SELECT count(*) FROM events
  WHERE type = 'project-user-added' AND project = :project AND id >= :middle AND id < :end`);

/** The number of a project's live flags per type. */
export const featureTypeCounts = (db: Database, project: string): FeatureTypeCount[] =>
  typesOf(db).all({ project });

const typesOf = query<{ project: string }, FeatureTypeCount>(`
  SELECT type, count(*) AS count FROM features WHERE project = :project AND archived_at IS NULL
  GROUP BY type ORDER BY type`);

/** How many days flags took to reach production, individually and on average. */
function leadTime(db: Database, project: string): LeadTime {
  const features = leadTimes(db)
    .all({ project })
    .map(({ name, days }) => ({ name, timeToProduction: round(days) }));
  const sum = features.reduce((total, { timeToProduction }) => total + timeToProduction, 0);
  return { features, projectAverage: features.length === 0 ? 0 : round(sum / features.length) };
}

const round = (days: number) => Math.round(days * 10) / 10;

// From a flag's creation until it first reached production. Flags that never did are left out, and so are the events
// of earlier flags of the same name.
const leadTimes = query<{ project: string }, { name: string; days: number }>(`
  SELECT features.name, julianday(min(wire ->> 'createdAt')) - julianday(features.created_at) AS days
  FROM events JOIN features ON features.name = feature_name AND features.project = :project
  JOIN environments ON environments.name = wire ->> 'environment' AND environments.type = 'production'
  WHERE events.project = :project AND events.type = 'feature-environment-enabled' AND features.archived_at IS NULL
    AND wire ->> 'createdAt' >= features.created_at
  GROUP BY features.name ORDER BY features.name`);
