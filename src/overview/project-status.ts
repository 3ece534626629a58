import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import type { Stage } from "../flags/features-schema.ts";
import { byStage, LATEST_FIRST } from "../flags/lifecycle.ts";
import { GET } from "../http/operation.ts";
import { DAY_MS, startOfMinute } from "../lib/time.ts";
import { Count } from "../lib/validation.ts";
import { idSince } from "../log/store.ts";
import { Percentage } from "../projects/projects-schema.ts";
import { MEMBER_COUNT, projectHealth, requireProject } from "../projects/projects-store.ts";

/** The flags now in a stage, and how long it took them and others; null if none has left it. */
const StageSummary = v.strictObject({ averageDays: v.nullable(v.number()), currentFlags: Count });

export const ProjectStatus = v.strictObject({
  /** The days of the last year with any events, in UTC. */
  activityCountByDate: v.array(v.strictObject({ date: v.pipe(v.string(), v.isoDate()), count: Count })),
  resources: v.strictObject({ members: Count, apiTokens: Count, segments: Count }),
  health: v.strictObject({ current: Percentage }),
  technicalDebt: v.strictObject({ current: Percentage }),
  lifecycleSummary: v.strictObject({
    ...byStage(() => StageSummary),
    archived: v.strictObject({ currentFlags: Count, last30Days: Count }),
  }),
  staleFlags: v.strictObject({ total: Count }),
});
type ProjectStatus = v.InferOutput<typeof ProjectStatus>;

export const readProjectStatus = GET({
  id: "getProjectStatus",
  summary: "A project's activity, health and resources, and how its flags live",
  tag: "Projects",
  path: "/api/admin/projects/:projectId/status",
  permission: { project: "projectId" },
  errors: ["NotFoundError"],
  response: ProjectStatus,
}).run(({ db, params: { projectId: project } }) => {
  requireProject(db, project);
  const { rating, staleCount, potentiallyStaleCount } = projectHealth(db, project);
  return {
    activityCountByDate: activity(db, project),
    resources: resources(db).get({ project })!,
    health: { current: rating },
    technicalDebt: { current: 100 - rating },
    lifecycleSummary: lifecycle(db, project),
    staleFlags: { total: staleCount + potentiallyStaleCount },
  };
});

/** Counts day by day with the index: only a day's first event is read. */
function activity(db: Database, project: string): ProjectStatus["activityCountByDate"] {
  const days = [];
  const first = idSince(db, new Date(startOfMinute() - 365 * DAY_MS).toISOString());
  for (let event = eventFrom(db).get({ project, from: first }); event; ) {
    const { id: from, date } = event;
    const to = idSince(db, new Date(Date.parse(date) + DAY_MS).toISOString());
    days.push({ date, count: eventsBetween(db).get({ project, from, to })! });
    event = eventFrom(db).get({ project, from: to });
  }
  return days;
}

const eventFrom = query<{ project: string; from: number }, { id: number; date: string }>(`
  SELECT id, substr(wire ->> 'createdAt', 1, 10) AS date FROM events
  WHERE project = :project AND id >= :from ORDER BY id LIMIT 1`);

const eventsBetween = valueQuery<{ project: string; from: number; to: number }, number>(`
  SELECT count(*) FROM events WHERE project = :project AND id >= :from AND id < :to`);

const resources = query<{ project: string }, ProjectStatus["resources"]>(`
  SELECT ${MEMBER_COUNT} AS members,
    (SELECT count(*) FROM tokens, json_each(tokens.projects) WHERE json_each.value = :project) AS apiTokens,
    (SELECT count(*) FROM segments WHERE project = :project) AS segments
  FROM projects WHERE id = :project`);

function lifecycle(db: Database, project: string): ProjectStatus["lifecycleSummary"] {
  const summaries = new Map(
    stagesIn(db)
      .all({ project })
      .map(({ stage, ...rest }) => [stage, rest]),
  );
  const since = new Date(startOfMinute() - 30 * DAY_MS).toISOString();
  return {
    ...byStage((stage) => summaries.get(stage) ?? { averageDays: null, currentFlags: 0 }),
    archived: archivedIn(db).get({ project, since })!,
  };
}

const stagesIn = query<{ project: string }, v.InferOutput<typeof StageSummary> & { stage: Stage }>(`
  SELECT stage, round(avg(days)) AS averageDays, count(*) FILTER (WHERE place = 1 AND isLive) AS currentFlags
  FROM (
    SELECT stage, archived_at IS NULL AS isLive,
      row_number() OVER (PARTITION BY feature ORDER BY ${LATEST_FIRST}) AS place,
      julianday((SELECT min(entered_at) FROM feature_stages AS later
        WHERE later.feature = name AND later.entered_at > feature_stages.entered_at)) - julianday(entered_at) AS days
    FROM features JOIN feature_stages ON feature = name
    WHERE project = :project)
  GROUP BY stage`);

const archivedIn = query<{ project: string; since: string }, ProjectStatus["lifecycleSummary"]["archived"]>(`
  SELECT count(*) AS currentFlags, count(*) FILTER (WHERE archived_at >= :since) AS last30Days
  FROM features WHERE project = :project AND archived_at IS NOT NULL`);
