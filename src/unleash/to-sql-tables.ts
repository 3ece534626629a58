import { application } from "../applications/applications-store.ts";
import { instance } from "../applications/instances.ts";
import { usage } from "../applications/usage-store.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { contextField } from "../flags/context-fields.ts";
import { feature } from "../flags/features-dataset.ts";
import { segment } from "../flags/segments.ts";
import { isBuiltInStrategyType, strategyType } from "../flags/strategy-types.ts";
import { tagType } from "../flags/tag-types.ts";
import { tag } from "../flags/tags.ts";
import { integration } from "../integrations/integrations-store.ts";
import { integrationEvent } from "../integrations/records.ts";
import { MASK } from "../lib/text.ts";
import { event, wireOf } from "../log/store.ts";
import { group } from "../people/groups.ts";
import { role } from "../people/roles.ts";
import { token } from "../people/tokens-store.ts";
import { user } from "../people/users-store.ts";
import { projectRole } from "../projects/access-store.ts";
import { environment } from "../projects/environments.ts";
import { project } from "../projects/projects-dataset.ts";
import { banner } from "../settings/banners.ts";
import { setting } from "../settings/settings.ts";
import {
  type Context,
  from,
  fromFlags,
  inTurn,
  linesOf,
  type Of,
  type Row,
  type Rows,
} from "./outgoing-lines.ts";

/*
 * The tables of Unleash, and the rows in them that lines of a dataset become. All columns are in 6.4 and in 8.2 alike.
 */

/** Root roles are assigned in this project. */
const ROOT = "default";

/** The largest value of most numbers in Unleash. */
export const MAX = 2 ** 31 - 1;

/** In order, and ordered by whole numbers, as Unleash needs them. */
function inWholeOrder<T extends { sortOrder: number | null }>(list: Iterable<T>): T[] {
  const sorted = [...list].toSorted((a, b) => a.sortOrder! - b.sortOrder!);
  const areWhole = sorted.every(({ sortOrder }) => idOf(sortOrder) !== null);
  return areWhole ? sorted : sorted.map((one, sortOrder) => ({ ...one, sortOrder }));
}

/** A user's id, unless it is too large. */
const idOf = (id: number | null) => (id !== null && Number.isInteger(id) && Math.abs(id) <= MAX ? id : null);

/** Each table's rows, in an order in which none refers to a later one. */
export const TABLES: Readonly<Record<string, Rows>> = {
  settings: from(setting, (line) => [line]),
  banners: from(banner, (line) => [line]),
  environments: (context) =>
    inWholeOrder(linesOf(environment, context)).map(
      ({ askBeforeChange: _, requiredApprovals: __, ...line }) => line,
    ),

  roles: from(role, ({ permissions: _, ...line }) => [line]),
  role_permission: from(role, ({ id, permissions }) =>
    permissions.map(({ name, environment }) => ({ roleId: id, permission: name, environment })),
  ),
  users: from(user, userRows),
  groups: from(group, ({ users: _, joined: __, rootRole, mappingsSSO, ...line }) => [
    { ...line, rootRoleId: rootRole, mappingsSso: mappingsSSO },
  ]),
  group_user: from(group, ({ id, users, joined, createdAt }) =>
    users.map((userId) => ({
      groupId: id,
      userId,
      createdAt: joined?.find(({ user }) => user === userId)?.at ?? createdAt,
    })),
  ),

  projects: from(project, ({ id, name, description, createdAt, updatedAt, archivedAt }) => [
    { id, name, description, createdAt, updatedAt, archivedAt },
  ]),
  project_settings: from(project, ({ id, mode, defaultStickiness, featureLimit, featureNaming }) => [
    {
      project: id,
      projectMode: mode,
      defaultStickiness,
      featureLimit,
      featureNamingPattern: featureNaming?.pattern,
      featureNamingExample: featureNaming?.example,
      featureNamingDescription: featureNaming?.description,
    },
  ]),
  project_environments: from(project, ({ id, environments, defaultStrategies }) =>
    environments.map((name) => ({
      projectId: id,
      environmentName: name,
      defaultStrategy: defaultStrategies?.find((one) => one.environment === name)?.strategy,
    })),
  ),
  favorite_projects: from(project, ({ id, favoritedBy }) =>
    favoritedBy.map((userId) => ({ project: id, userId })),
  ),
  role_user: inTurn(
    from(user, ({ id, rootRole }) => [{ roleId: rootRole, userId: id, project: ROOT }]),
    from(projectRole, ({ role, user, project }) =>
      user === null ? [] : [{ roleId: role, userId: user, project }],
    ),
  ),
  group_role: from(projectRole, ({ role, group, project }) =>
    group === null ? [] : [{ roleId: role, groupId: group, project }],
  ),
  api_tokens: from(token, tokenRows),
  api_token_project: from(token, tokenProjectRows),

  tag_types: from(tagType, (line) => [line]),
  tags,
  context_fields: (context) =>
    inWholeOrder(linesOf(contextField, context)).map(({ project: _, ...line }) => line),
  segments: from(segment, ({ project, ...line }) => [{ ...line, segmentProjectId: project }]),
  strategies: from(strategyType, (line, { db }) =>
    isBuiltInStrategyType(db, line.name) ? [] : [{ ...line, builtIn: 0 }],
  ),

  features: from(feature, featureRows),
  feature_environments: fromFlags(featureEnvironmentRows),
  feature_strategies: fromFlags(strategyRows),
  feature_strategy_segment: fromFlags(({ environments }) =>
    environments
      .flatMap(({ strategies }) => strategies)
      .flatMap(({ id, segments }) => segments.map((segmentId) => ({ featureStrategyId: id, segmentId }))),
  ),
  feature_tag: from(feature, ({ name, tags }) =>
    tags.map(({ type, value }) => ({ featureName: name, tagType: type, tagValue: value })),
  ),
  feature_lifecycles: from(feature, ({ name, stages }) =>
    stages.map(({ stage, enteredAt, status }) => ({ feature: name, stage, createdAt: enteredAt, status })),
  ),
  dependent_features: from(feature, ({ name, dependencies }, { db }) =>
    dependencies
      .filter(({ feature: parent }) => isKnown(db, "feature", parent))
      .map(({ feature: parent, ...rest }) => ({ parent, child: name, ...rest })),
  ),
  favorite_features: from(feature, ({ name, favoritedBy }) =>
    favoritedBy.map((userId) => ({ feature: name, userId })),
  ),
  last_seen_at_metrics: fromFlags(({ name, environments }) =>
    environments
      .filter(({ lastSeenAt }) => lastSeenAt)
      .map(({ name: environment, lastSeenAt }) => ({ featureName: name, environment, lastSeenAt })),
  ),

  addons: from(integration, integrationRows),
  events: from(event, eventRows),
  integration_events: from(integrationEvent, ({ id, eventId, ...line }, { db }) => [
    { ...line, id: String(id), event: JSON.parse(wireOf(db).get({ id: eventId })!) },
  ]),

  client_applications: from(application, ({ name, places: _, ...line }) => [{ appName: name, ...line }]),
  client_applications_usage: from(application, ({ name, places }) =>
    (places ?? []).map((place) => ({ appName: name, ...place })),
  ),
  client_instances: from(instance, ({ application, instance, seenAt, ...line }) => [
    { appName: application, instanceId: instance, lastSeen: seenAt, ...line },
  ]),
  client_metrics_env: from(usage, ({ hours, ...line }) =>
    hours.map(({ hour, yes, no }) => ({ ...seriesOf(line), timestamp: hour, yes, no })),
  ),
  client_metrics_env_variants: from(usage, ({ hours, ...line }) =>
    hours.flatMap(({ hour, variants }) =>
      Object.entries(variants ?? {}).map(([variant, count]) => ({
        ...seriesOf(line),
        timestamp: hour,
        variant,
        count: Math.min(count, MAX),
      })),
    ),
  ),
};

function userRows(
  {
    accountType,
    passwordHash,
    rootRole: _,
    emailSent: __,
    inviteLink: ___,
    madeBy: ____,
    ...line
  }: Of<typeof user>,
  { leave }: Context,
): Row[] {
  const isService = accountType !== "User";
  const isReadable = passwordHash?.startsWith("$2") ?? false;
  if (passwordHash === MASK) leave("user", "its password is left out: export it --with-secrets");
  else if (!isReadable && !isService) leave("user", "no password that Unleash can check: set a new one");
  return [{ ...line, isService, passwordHash: isReadable ? passwordHash : null }];
}

function tokenRows(
  { type, name, secret, environment, ...line }: Of<typeof token>,
  { db, leave }: Context,
): Row[] {
  const { projects, createdAt, expiresAt, seenAt } = line;
  if (secret === null)
    leave("token", "only the hash of its secret is known: make it anew", nameOf(name, type));
  else if (isWidened(db, projects)) leave("token", "its projects are gone", nameOf(name, type));
  else return [{ secret, username: name, tokenName: name, type, environment, createdAt, expiresAt, seenAt }];
  return [];
}

const nameOf = (name: string, type: string) => `${name} (${type})`;

function tokenProjectRows({ secret, projects }: Of<typeof token>, { db }: Context): Row[] {
  if (secret === null) return [];
  return knownProjects(db, projects).map((project) => ({ secret, project }));
}

const knownProjects = (db: Database, projects: readonly string[]) =>
  projects.filter((project) => isKnown(db, "project", project));

/** Without a project, a token is for all of them. */
const isWidened = (db: Database, projects: readonly string[]) =>
  !projects.includes("*") && knownProjects(db, projects).length === 0;

/** Those of flags, each once, and those of none. */
function* tags(context: Context): Generator<Row> {
  const seen = new Set<string>();
  for (const { tags } of linesOf(feature, context)) {
    for (const one of tags) {
      const key = JSON.stringify([one.type, one.value]);
      if (!seen.has(key)) yield one;
      seen.add(key);
    }
  }
  yield* linesOf(tag, context);
}

function featureRows({ createdByUserId, potentiallyStale, ...line }: Of<typeof feature>): Row[] {
  const { name, project, type, description, stale, impressionData, createdAt, archivedAt } = line;
  return [
    {
      ...{ name, project, type, description, stale, impressionData, createdAt, archivedAt },
      createdByUserId: idOf(createdByUserId),
      potentiallyStale: potentiallyStale ?? false,
    },
  ];
}

function featureEnvironmentRows(
  { name: featureName, environments, dependencies }: Of<typeof feature>,
  { db, leave }: Context,
) {
  // A flag whose parent is missing is off here, and would be on there.
  const isOrphan = dependencies.some(({ feature: parent }) => !isKnown(db, "feature", parent));
  if (isOrphan) leave("feature", "off, since a flag that it depends on is missing", featureName);
  return environments.map(({ name: environment, enabled, variants, lastSeenAt }) => ({
    ...{ featureName, environment, enabled: enabled && !isOrphan, variants, lastSeenAt },
  }));
}

function* strategyRows({
  name: featureName,
  project: projectName,
  environments,
}: Of<typeof feature>): Generator<Row> {
  for (const { name: environment, strategies } of environments)
    for (const { name: strategyName, segments: _, ...strategy } of inWholeOrder(strategies))
      yield { featureName, projectName, environment, strategyName, ...strategy, title: strategy.title };
}

/** Without its secrets, an integration would fail with each event. */
function integrationRows(
  { enabled, paused, editedByUserId: _, ...line }: Of<typeof integration>,
  { leave }: Context,
): Row[] {
  const isMasked = Object.values(line.parameters).includes(MASK);
  if (isMasked) leave("integration", "is disabled, since its secrets are masked: export them --with-secrets");
  if (paused) leave("integration", "is disabled, since it is paused");
  return [{ ...line, enabled: enabled && !paused && !isMasked }];
}

/** All announced, or Unleash would deliver them to its integrations. */
function eventRows(
  {
    label: _,
    summary: __,
    groupType: ___,
    groupId: ____,
    firstId: _____,
    hash: ______,
    createdByUserId,
    ...line
  }: Of<typeof event>,
  { leave }: Context,
): Row[] {
  if (line.id! <= MAX) return [{ ...line, createdByUserId: idOf(createdByUserId), announced: true }];
  leave("event", `its id is above ${MAX}`);
  return [];
}

const seriesOf = ({ feature, environment, application }: Omit<Of<typeof usage>, "hours">) => ({
  featureName: feature,
  appName: application,
  environment,
});
