import { type Actor, ANYBODY } from "../access/actor.ts";
import {
  authenticate,
  authenticateAnybody,
  authenticateSdk,
  type Credentials,
} from "../access/authenticate.ts";
import * as applications from "../applications/applications-routes.ts";
import * as applicationsSchema from "../applications/applications-schema.ts";
import * as client from "../applications/client-routes.ts";
import * as clientSchema from "../applications/client-schema.ts";
import * as edge from "../applications/edge.ts";
import * as frontend from "../applications/frontend.ts";
import * as ofrep from "../applications/ofrep.ts";
import * as playground from "../applications/playground.ts";
import * as playgroundSchema from "../applications/playground-schema.ts";
import * as usage from "../applications/usage-routes.ts";
import * as usageSchema from "../applications/usage-schema.ts";
import type { Database } from "../db/database.ts";
import * as clientFeature from "../evaluation/client-feature.ts";
import * as constraintsSchema from "../evaluation/constraint.ts";
import * as strategiesSchema from "../evaluation/strategy.ts";
import * as variantsSchema from "../evaluation/variant.ts";
import * as eventSchema from "../events/schema.ts";
import * as constraints from "../flags/constraints.ts";
import * as contextFields from "../flags/context-fields.ts";
import * as dependencies from "../flags/dependencies.ts";
import * as favorites from "../flags/favorites.ts";
import * as featureEnvironments from "../flags/feature-environments.ts";
import * as featureSearch from "../flags/feature-search.ts";
import * as featureSearchSchema from "../flags/feature-search-schema.ts";
import * as featureTags from "../flags/feature-tags.ts";
import * as featureTypes from "../flags/feature-types.ts";
import * as featuresArchive from "../flags/features-archive.ts";
import * as featuresExport from "../flags/features-batch-export.ts";
import * as featuresImport from "../flags/features-batch-import.ts";
import * as featuresBatchSchema from "../flags/features-batch-schema.ts";
import * as features from "../flags/features-routes.ts";
import * as featuresSchema from "../flags/features-schema.ts";
import * as lifecycle from "../flags/lifecycle.ts";
import * as projectDeletion from "../flags/project-deletion.ts";
import * as segments from "../flags/segments.ts";
import * as strategies from "../flags/strategies.ts";
import * as strategySegments from "../flags/strategy-segments.ts";
import * as strategyTypes from "../flags/strategy-types.ts";
import * as strategyUses from "../flags/strategy-uses.ts";
import * as tagTypes from "../flags/tag-types.ts";
import * as tags from "../flags/tags.ts";
import * as flagVariants from "../flags/variants.ts";
import type { Operation } from "../http/operation.ts";
import { isBelow } from "../http/path.ts";
import * as integrations from "../integrations/integrations-routes.ts";
import * as integrationsSchema from "../integrations/integrations-schema.ts";
import type { Schema } from "../lib/validation.ts";
import * as notifications from "../log/notifications.ts";
import * as events from "../log/routes.ts";
import * as eventsSchema from "../log/schema.ts";
import * as eventSearch from "../log/search.ts";
import * as eventStream from "../log/stream.ts";
import * as banners from "../overview/banners.ts";
import * as dashboard from "../overview/dashboard.ts";
import * as insights from "../overview/insights.ts";
import * as instance from "../overview/instance.ts";
import * as projectReads from "../overview/projects.ts";
import * as settings from "../overview/settings.ts";
import * as statistics from "../overview/statistics.ts";
import * as apiTokens from "../people/api-tokens.ts";
import * as groups from "../people/groups.ts";
import * as invitations from "../people/invitations.ts";
import * as ownUser from "../people/own-user.ts";
import * as passwords from "../people/passwords-routes.ts";
import * as personalTokens from "../people/personal-tokens.ts";
import * as rolesSchema from "../people/roles.ts";
import * as roles from "../people/roles-routes.ts";
import * as serviceAccounts from "../people/service-accounts.ts";
import * as sessions from "../people/sessions.ts";
import * as userLists from "../people/user-lists.ts";
import * as userPermissions from "../people/user-permissions.ts";
import * as users from "../people/users-routes.ts";
import * as usersSchema from "../people/users-schema.ts";
import * as projectAccess from "../projects/access-routes.ts";
import * as projectAccessSchema from "../projects/access-schema.ts";
import * as environmentClones from "../projects/environment-clones.ts";
import * as environments from "../projects/environments-routes.ts";
import * as environmentsSchema from "../projects/environments-schema.ts";
import * as projectEnvironments from "../projects/project-environments.ts";
import * as projectList from "../projects/project-list.ts";
import * as projectTokens from "../projects/project-tokens.ts";
import * as projects from "../projects/projects-routes.ts";
import * as projectsSchema from "../projects/projects-schema.ts";

/** Every file that exports operations, or shapes that several operations share: a test finds the ones left out. */
const MODULES = [
  clientFeature,
  constraintsSchema,
  strategiesSchema,
  variantsSchema,
  eventSchema,
  notifications,
  eventSearch,
  eventStream,
  events,
  eventsSchema,
  apiTokens,
  groups,
  invitations,
  ownUser,
  passwords,
  personalTokens,
  roles,
  rolesSchema,
  serviceAccounts,
  sessions,
  userLists,
  userPermissions,
  users,
  usersSchema,
  projectAccess,
  projectAccessSchema,
  environmentClones,
  projectEnvironments,
  environments,
  environmentsSchema,
  projectTokens,
  projectList,
  projects,
  projectsSchema,
  constraints,
  contextFields,
  dependencies,
  favorites,
  featureSearch,
  featureSearchSchema,
  featuresBatchSchema,
  featureTags,
  featureTypes,
  featuresArchive,
  featuresExport,
  featuresImport,
  features,
  featuresSchema,
  lifecycle,
  projectDeletion,
  segments,
  featureEnvironments,
  strategies,
  strategySegments,
  strategyTypes,
  strategyUses,
  tagTypes,
  tags,
  flagVariants,
  client,
  clientSchema,
  edge,
  frontend,
  ofrep,
  playground,
  playgroundSchema,
  applications,
  applicationsSchema,
  usage,
  usageSchema,
  integrations,
  integrationsSchema,
  banners,
  dashboard,
  insights,
  instance,
  projectReads,
  settings,
  statistics,
];

type Exported<M> = M extends M ? M[keyof M] : never;

const exported: ReadonlyArray<[name: string, value: unknown]> = MODULES.flatMap(Object.entries);

/** Every operation served, with its contract as a type. */
export type ServedOperation = Extract<Exported<(typeof MODULES)[number]>, Operation>;

const isOperation = (value: unknown): value is Operation => "handle" in Object(value);

/** Every operation served. */
export const OPERATIONS: readonly Operation[] = exported.map(([, value]) => value).filter(isOperation);

/** The shapes on the wire, by name. */
export const SCHEMAS = Object.fromEntries(exported.filter(([, value]) => "kind" in Object(value))) as Record<
  string,
  Schema
>;

/** Who may access which paths. */
interface Access {
  /** The prefix of its operations' paths; any request below it requires the credential. */
  prefix: `/${string}`;
  /** Identifies the caller. @throws ApiError `AuthenticationRequired` */
  authenticate(db: Database, credentials: Credentials): Actor;
  /** No credential is required. */
  isOpen?: true;
  /** Pages of other sites may call it, if the configured origins allow it. */
  isForPages?: true;
  /** The query parameter `key` is accepted as a credential. */
  takesKey?: true;
}

/** A path belongs to the first prefix that it is below. */
const ACCESS: readonly Access[] = [
  { prefix: "/api/admin", authenticate },
  { prefix: "/api/client", authenticate: authenticateSdk("client") },
  { prefix: "/api/frontend", authenticate: authenticateSdk("frontend"), isForPages: true },
  {
    prefix: "/ofrep/v1/stream",
    authenticate: authenticateSdk("frontend", "client"),
    isForPages: true,
    takesKey: true,
  },
  { prefix: "/ofrep", authenticate: authenticateSdk("frontend", "client"), isForPages: true },
  { prefix: "/edge/metrics", authenticate: authenticateSdk("client") },
  { prefix: "/edge", authenticate: authenticateAnybody, isOpen: true },
  { prefix: "/invite", authenticate: () => ANYBODY, isOpen: true },
  { prefix: "/auth", authenticate: () => ANYBODY, isOpen: true },
];

const operationsBelow = Map.groupBy(OPERATIONS, ({ path }) =>
  ACCESS.find(({ prefix }) => isBelow(prefix, path)),
);

export interface Surface extends Access {
  operations: readonly Operation[];
}

export const SURFACES: readonly Surface[] = ACCESS.map((access) => ({
  ...access,
  operations: operationsBelow.get(access) ?? [],
}));

/** Those that need no credential. */
export const OPEN_OPERATIONS: ReadonlySet<Operation> = new Set(
  SURFACES.filter(({ isOpen }) => isOpen).flatMap(({ operations }) => operations),
);
