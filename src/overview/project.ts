import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import { ProjectFeature } from "../flags/features-schema.ts";
import { projectFeatures } from "../flags/features-store.ts";
import { GET } from "../http/operation.ts";
import { RawJson } from "../lib/raw-json.ts";
import { DAY_MS, startOfMinute } from "../lib/time.ts";
import { Count, Timestamp } from "../lib/validation.ts";
import { idSince } from "../log/store.ts";
import { FeatureNaming, LinkTemplate, MODES } from "../projects/projects-schema.ts";
import {
  linkTemplates,
  MEMBER_COUNT,
  projectData,
  projectHealth,
  requireProject,
} from "../projects/projects-store.ts";

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

/** Of live flags; the rating is a percentage. */
const Health = v.strictObject({
  activeCount: Count,
  potentiallyStaleCount: Count,
  staleCount: Count,
  rating: v.number(),
});

export const Insights = v.strictObject({
  stats: Stats,
  featureTypeCounts: v.array(FeatureTypeCount),
  health: Health,
  technicalDebt: Health,
  leadTime: LeadTime,
  members: v.strictObject({ currentMembers: Count, change: v.number() }),
});

/** What all reads of a project have in common. */
const ofProject = {
  tag: "Projects",
  path: "/api/admin/projects/:projectId",
  permission: { project: "projectId" },
} as const;

export const readInsights = GET({
  ...ofProject,
  id: "getProjectInsights",
  summary: "A project's recent activity and health",
  path: `${ofProject.path}/insights`,
  errors: ["NotFoundError"],
  response: Insights,
}).run(({ db, params: { projectId } }) => {
  requireProject(db, projectId);
  const stats = projectStats(db, projectId);
  const health = projectHealth(db, projectId);
  return {
    stats,
    featureTypeCounts: featureTypeCounts(db).all({ project: projectId }),
    health,
    technicalDebt: { ...health, rating: 100 - health.rating },
    leadTime: leadTime(db, projectId),
    members: {
      currentMembers: members(db).get({ id: projectId })!,
      change: stats.projectMembersAddedCurrentWindow,
    },
  };
});

export const readDora = GET({
  ...ofProject,
  id: "getProjectDora",
  summary: "How long a project's flags took to reach production",
  path: `${ofProject.path}/dora`,
  response: LeadTime,
}).run(({ db, params: { projectId } }) => leadTime(db, projectId));

const members = valueQuery<{ id: string }, number>(`SELECT ${MEMBER_COUNT} FROM projects WHERE id = :id`);

/** A project's activity in two windows of thirty days. */
function projectStats(db: Database, project: string): Stats {
  const today = Math.floor(startOfMinute() / DAY_MS) * DAY_MS;
  const daysAgo = (days: number) => new Date(today - days * DAY_MS).toISOString();
  const times = { begin: daysAgo(60), middle: daysAgo(30), end: daysAgo(0) };
  const [begin, middle, end] = [idSince(db, times.begin), idSince(db, times.middle), idSince(db, times.end)];
  return {
    avgTimeToProdCurrentWindow: leadTime(db, project).projectAverage,
    ...flagsIn(db).get({ project, ...times })!,
    ...eventsIn(db).get({ project, begin, middle, end })!,
    projectMembersAddedCurrentWindow: membersIn(db).get({ project, middle, end })!,
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

const membersIn = valueQuery<Omit<Windows<number>, "begin">, number>(`
  SELECT count(*) FROM events
  WHERE type = 'project-user-added' AND project = :project AND id >= :middle AND id < :end`);

/** The number of a project's live flags per type. */
const featureTypeCounts = query<{ project: string }, FeatureTypeCount>(`
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

/** What all views of a project have in common. */
export const ProjectBasics = v.strictObject({
  stats: Stats,
  name: v.string(),
  description: v.nullable(v.string()),
  mode: v.picklist(MODES),
  featureLimit: v.nullable(v.number()),
  featureNaming: FeatureNaming,
  defaultStickiness: v.string(),
  health: v.number(),
  technicalDebt: v.number(),
  favorite: v.boolean(),
  updatedAt: Timestamp,
  createdAt: Timestamp,
  archivedAt: v.optional(Timestamp),
  environments: v.array(
    v.strictObject({
      environment: v.string(),
      defaultStrategy: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
  members: Count,
  version: v.literal(1),
});
type ProjectBasics = v.InferOutput<typeof ProjectBasics>;

export const OnboardingStatus = v.variant("status", [
  v.strictObject({ status: v.picklist(["onboarding-started", "onboarded"]) }),
  v.strictObject({ status: v.literal("first-flag-created"), feature: v.string() }),
]);
type OnboardingStatus = v.InferOutput<typeof OnboardingStatus>;

export const ProjectOverview = v.strictObject({
  ...ProjectBasics.entries,
  linkTemplates: v.array(LinkTemplate),
  onboardingStatus: OnboardingStatus,
  featureTypeCounts: v.array(FeatureTypeCount),
});

export const ProjectWithFeatures = v.strictObject({
  ...ProjectBasics.entries,
  features: v.array(ProjectFeature),
});

export const HealthReport = v.strictObject({
  ...ProjectWithFeatures.entries,
  ...v.omit(Health, ["rating"]).entries,
});

/** The creators of a project's live flags. */
export const FlagCreator = v.strictObject({ id: v.number(), name: v.string() });

/** Apart from these and what each adds, the project and its overview are the same and share a version. */
const VOLATILE = ["stats", "health", "technicalDebt", "favorite", "members"];

export const readProject = GET({
  ...ofProject,
  id: "getDeprecatedProjectOverview",
  summary: "A project with its flags",
  errors: ["NotFoundError"],
  volatile: [...VOLATILE, "features"],
  response: ProjectWithFeatures,
}).run(({ db, actor: { userId }, params: { projectId } }) => ({
  ...projectBasics(db, projectId, userId),
  features: projectFeatures(db, projectId, userId),
}));

export const readOverview = GET({
  ...ofProject,
  id: "getProjectOverview",
  summary: "A project without its flags",
  path: `${ofProject.path}/overview`,
  errors: ["NotFoundError"],
  volatile: [...VOLATILE, "linkTemplates", "onboardingStatus", "featureTypeCounts"],
  response: ProjectOverview,
}).run(({ db, actor: { userId }, params: { projectId } }) => ({
  ...projectBasics(db, projectId, userId),
  linkTemplates: linkTemplates(db, projectId),
  onboardingStatus: onboardingStatus(db, projectId),
  featureTypeCounts: featureTypeCounts(db).all({ project: projectId }),
}));

export const readHealthReport = GET({
  ...ofProject,
  id: "getProjectHealthReport",
  summary: "A project with its flags and their health",
  path: `${ofProject.path}/health-report`,
  errors: ["NotFoundError"],
  response: HealthReport,
}).run(({ db, actor: { userId }, params: { projectId } }) => {
  const { rating: _, ...counts } = projectHealth(db, projectId);
  return {
    ...projectBasics(db, projectId, userId),
    features: projectFeatures(db, projectId, userId),
    ...counts,
  };
});

export const listFlagCreators = GET({
  ...ofProject,
  id: "getProjectFlagCreators",
  summary: "The creators of a project's flags",
  path: `${ofProject.path}/flag-creators`,
  response: v.array(FlagCreator),
}).run(({ db, params: { projectId } }) => creators(db).all({ projectId }));

const creators = query<{ projectId: string }, v.InferOutput<typeof FlagCreator>>(`
  SELECT DISTINCT users.id, coalesce(users.name, username, email, 'user ' || users.id) AS name
  FROM features JOIN users ON users.id = created_by_user_id
  WHERE project = :projectId AND features.archived_at IS NULL ORDER BY 2, 1`);

interface Row {
  archivedAt: string | null;
  favorite: 0 | 1;
  members: number;
  environments: string;
}

const byId = query<{ id: string; userId: number | null }, Row>(`
  SELECT archived_at AS archivedAt, ${MEMBER_COUNT} AS members,
    EXISTS (SELECT 1 FROM project_favorites WHERE project = projects.id AND user_id = :userId) AS favorite,
    (SELECT json_group_array(iif(default_strategy IS NULL, json_object('environment', environment),
        json_object('environment', environment, 'defaultStrategy', json(default_strategy)))
        ORDER BY sort_order, environment)
      FROM project_environments JOIN environments ON environments.name = environment
      WHERE project = projects.id) AS environments
  FROM projects WHERE id = :id`);

/** @throws ApiError `NotFoundError` */
function projectBasics(db: Database, id: string, userId: number | null) {
  requireProject(db, id);
  const { archivedAt, favorite, members, environments } = byId(db).get({ id, userId })!;
  const project = projectData(db, id);
  return {
    stats: projectStats(db, id),
    name: project.name,
    description: project.description,
    mode: project.mode,
    featureLimit: project.featureLimit,
    featureNaming: project.featureNaming,
    defaultStickiness: project.defaultStickiness,
    health: project.health,
    technicalDebt: 100 - project.health,
    favorite: favorite === 1,
    updatedAt: project.updatedAt,
    createdAt: project.createdAt,
    ...(archivedAt !== null && { archivedAt }),
    environments: new RawJson<ProjectBasics["environments"]>(environments),
    members,
    version: 1 as const,
  };
}

const isSeen = query<{ project: string }>(`
  SELECT 1 FROM features WHERE project = :project AND seen_at IS NOT NULL LIMIT 1`);

const hasApplication = query<{ project: string }>(`
  SELECT 1 FROM application_places WHERE project = :project LIMIT 1`);

const oldestLive = query<{ project: string }, { feature: string }>(`
  SELECT name AS feature FROM features
  WHERE project = :project AND archived_at IS NULL ORDER BY created_at, name LIMIT 1`);

/** How far a project's onboarding has progressed: a first flag, then a first use or an application (original). */
export function onboardingStatus(db: Database, project: string): OnboardingStatus {
  if (isSeen(db).get({ project }) || hasApplication(db).get({ project })) return { status: "onboarded" };
  const first = oldestLive(db).get({ project });
  return first ? { status: "first-flag-created", feature: first.feature } : { status: "onboarding-started" };
}
