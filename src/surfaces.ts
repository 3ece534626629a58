import { type Actor, ANYBODY } from "./auth/actor.ts";
import { authenticate, type Credentials } from "./auth/authenticate.ts";
import { authenticateAnybody, authenticateSdk } from "./auth/authenticate-sdk.ts";
import type { Database } from "./db/statement.ts";
import * as eventSchema from "./events/schema.ts";
import type { Operation } from "./http/operation.ts";
import * as applications from "./resources/applications/routes.ts";
import * as clientApplications from "./resources/applications/routes-client.ts";
import * as frontendApplications from "./resources/applications/routes-frontend.ts";
import * as projectApplications from "./resources/applications/routes-project.ts";
import * as applicationsSchema from "./resources/applications/schema.ts";
import * as banners from "./resources/banners/routes.ts";
import * as bannersSchema from "./resources/banners/schema.ts";
import * as client from "./resources/client/routes.ts";
import * as clientSchema from "./resources/client/schema.ts";
import * as constraints from "./resources/constraints/routes.ts";
import * as constraintsSchema from "./resources/constraints/schema.ts";
import * as contextFields from "./resources/context-fields/routes.ts";
import * as contextFieldsSchema from "./resources/context-fields/schema.ts";
import * as dashboard from "./resources/dashboard/routes.ts";
import * as dashboardSchema from "./resources/dashboard/schema.ts";
import * as dependencies from "./resources/dependencies/routes.ts";
import * as dependenciesSchema from "./resources/dependencies/schema.ts";
import * as edge from "./resources/edge/routes.ts";
import * as edgeReports from "./resources/edge/routes-client.ts";
import * as olderEdgeReports from "./resources/edge/routes-metrics.ts";
import * as edgeSchema from "./resources/edge/schema.ts";
import * as environments from "./resources/environments/routes.ts";
import * as environmentClones from "./resources/environments/routes-clone.ts";
import * as projectEnvironments from "./resources/environments/routes-projects.ts";
import * as environmentsSchema from "./resources/environments/schema.ts";
import * as events from "./resources/events/routes.ts";
import * as eventCreators from "./resources/events/routes-creators.ts";
import * as eventSearch from "./resources/events/routes-search.ts";
import * as eventStream from "./resources/events/routes-stream.ts";
import * as eventsSchema from "./resources/events/schema.ts";
import * as favorites from "./resources/favorites/routes.ts";
import * as featureTags from "./resources/feature-tags/routes.ts";
import * as featureTagsSchema from "./resources/feature-tags/schema.ts";
import * as featureTypes from "./resources/feature-types/routes.ts";
import * as featureTypesSchema from "./resources/feature-types/schema.ts";
import * as features from "./resources/features/routes.ts";
import * as archive from "./resources/features/routes-archive.ts";
import * as bulk from "./resources/features/routes-bulk.ts";
import * as move from "./resources/features/routes-move.ts";
import * as featuresSchema from "./resources/features/schema.ts";
import * as featuresBatch from "./resources/features-batch/routes.ts";
import * as featuresBatchSchema from "./resources/features-batch/schema.ts";
import * as feedback from "./resources/feedback/routes.ts";
import * as feedbackSchema from "./resources/feedback/schema.ts";
import * as frontend from "./resources/frontend/routes.ts";
import * as frontendSchema from "./resources/frontend/schema.ts";
import * as groups from "./resources/groups/routes.ts";
import * as groupsSchema from "./resources/groups/schema.ts";
import * as instance from "./resources/instance/routes.ts";
import * as instanceSchema from "./resources/instance/schema.ts";
import * as integrations from "./resources/integrations/routes.ts";
import * as integrationDelivery from "./resources/integrations/routes-delivery.ts";
import * as integrationsSchema from "./resources/integrations/schema.ts";
import * as invitations from "./resources/invitations/routes.ts";
import * as openInvitations from "./resources/invitations/routes-open.ts";
import * as invitationsSchema from "./resources/invitations/schema.ts";
import * as lifecycle from "./resources/lifecycle/routes.ts";
import * as lifecycleSchema from "./resources/lifecycle/schema.ts";
import * as notifications from "./resources/notifications/routes.ts";
import * as notificationsSchema from "./resources/notifications/schema.ts";
import * as ofrep from "./resources/ofrep/routes.ts";
import * as ofrepStream from "./resources/ofrep/routes-stream.ts";
import * as ownUser from "./resources/own-user/routes.ts";
import * as ownUserSchema from "./resources/own-user/schema.ts";
import * as playground from "./resources/playground/routes.ts";
import * as playgroundSchema from "./resources/playground/schema.ts";
import * as projectAccessSchema from "./resources/projects/access-schema.ts";
import * as projects from "./resources/projects/routes.ts";
import * as projectAccess from "./resources/projects/routes-access.ts";
import * as projectAccessForms from "./resources/projects/routes-access-forms.ts";
import * as projectChanges from "./resources/projects/routes-change.ts";
import * as projectReads from "./resources/projects/routes-read.ts";
import * as projectsSchema from "./resources/projects/schema.ts";
import * as resets from "./resources/resets/routes.ts";
import * as roles from "./resources/roles/routes.ts";
import * as rolesSchema from "./resources/roles/schema.ts";
import * as search from "./resources/search/routes.ts";
import * as searchSchema from "./resources/search/schema.ts";
import * as segments from "./resources/segments/routes.ts";
import * as segmentsSchema from "./resources/segments/schema.ts";
import * as serviceAccounts from "./resources/service-accounts/routes.ts";
import * as serviceAccountTokens from "./resources/service-accounts/routes-tokens.ts";
import * as serviceAccountsSchema from "./resources/service-accounts/schema.ts";
import * as sessions from "./resources/sessions/routes.ts";
import * as signInHistory from "./resources/sessions/routes-history.ts";
import * as ownSessions from "./resources/sessions/routes-own.ts";
import * as sessionsSchema from "./resources/sessions/schema.ts";
import * as settings from "./resources/settings/routes.ts";
import * as settingsSchema from "./resources/settings/schema.ts";
import * as strategies from "./resources/strategies/routes.ts";
import * as defaultStrategies from "./resources/strategies/routes-default.ts";
import * as featureEnvironments from "./resources/strategies/routes-environment.ts";
import * as strategiesSchema from "./resources/strategies/schema.ts";
import * as strategyTypes from "./resources/strategy-types/routes.ts";
import * as strategyTypesSchema from "./resources/strategy-types/schema.ts";
import * as tagTypes from "./resources/tag-types/routes.ts";
import * as tagTypesSchema from "./resources/tag-types/schema.ts";
import * as tags from "./resources/tags/routes.ts";
import * as tagsSchema from "./resources/tags/schema.ts";
import * as tokens from "./resources/tokens/routes.ts";
import * as apiTokens from "./resources/tokens/routes-api.ts";
import * as projectTokens from "./resources/tokens/routes-project.ts";
import * as tokensSchema from "./resources/tokens/schema.ts";
import * as usage from "./resources/usage/routes.ts";
import * as clientUsage from "./resources/usage/routes-client.ts";
import * as frontendUsage from "./resources/usage/routes-frontend.ts";
import * as goneUsage from "./resources/usage/routes-gone.ts";
import * as usageSchema from "./resources/usage/schema.ts";
import * as users from "./resources/users/routes.ts";
import * as userLists from "./resources/users/routes-lists.ts";
import * as passwords from "./resources/users/routes-passwords.ts";
import * as userPermissions from "./resources/users/routes-permissions.ts";
import * as usersSchema from "./resources/users/schema.ts";
import * as flagVariants from "./resources/variants/routes.ts";
import * as variantsSchema from "./resources/variants/schema.ts";
import type { Schema } from "./validation.ts";

/** Who may access which paths. */
export interface Surface {
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
  /** Everything that the resources' `routes.ts` export. */
  operations: readonly Operation[];
}

/** Preserves the type of each. */
const operationsOf = <R extends object[]>(...routes: R): Exported<R[number]>[] =>
  routes.flatMap((exported) => Object.values({ ...exported }));

type Exported<R> = R extends object ? R[keyof R] : never;

const served = [
  {
    prefix: "/api/admin",
    authenticate,
    operations: operationsOf(
      integrations,
      integrationDelivery,
      features,
      archive,
      bulk,
      move,
      featuresBatch,
      dependencies,
      favorites,
      lifecycle,
      featureTags,
      featureEnvironments,
      strategies,
      playground,
      constraints,
      segments,
      contextFields,
      tags,
      tagTypes,
      defaultStrategies,
      flagVariants,
      strategyTypes,
      featureTypes,
      environments,
      environmentClones,
      projectEnvironments,
      projects,
      projectReads,
      projectChanges,
      projectAccess,
      projectAccessForms,
      events,
      eventCreators,
      eventStream,
      search,
      eventSearch,
      users,
      userLists,
      userPermissions,
      passwords,
      banners,
      invitations,
      serviceAccounts,
      serviceAccountTokens,
      ownUser,
      ownSessions,
      signInHistory,
      tokens,
      settings,
      instance,
      apiTokens,
      projectTokens,
      roles,
      groups,
      feedback,
      notifications,
      dashboard,
      usage,
      goneUsage,
      applications,
      projectApplications,
    ),
  },
  {
    prefix: "/api/client",
    authenticate: authenticateSdk("client"),
    operations: operationsOf(client, clientApplications, clientUsage, edgeReports),
  },
  {
    prefix: "/api/frontend",
    authenticate: authenticateSdk("frontend"),
    isForPages: true,
    operations: operationsOf(frontend, frontendApplications, frontendUsage),
  },
  {
    prefix: "/ofrep/v1/stream",
    authenticate: authenticateSdk("frontend", "client"),
    isForPages: true,
    takesKey: true,
    operations: operationsOf(ofrepStream),
  },
  {
    prefix: "/ofrep",
    authenticate: authenticateSdk("frontend", "client"),
    isForPages: true,
    operations: operationsOf(ofrep),
  },
  {
    prefix: "/edge/metrics",
    authenticate: authenticateSdk("client"),
    operations: operationsOf(olderEdgeReports),
  },
  { prefix: "/edge", isOpen: true, authenticate: authenticateAnybody, operations: operationsOf(edge) },
  { prefix: "/invite", isOpen: true, authenticate: () => ANYBODY, operations: operationsOf(openInvitations) },
  { prefix: "/auth", isOpen: true, authenticate: () => ANYBODY, operations: operationsOf(sessions, resets) },
] satisfies readonly Surface[];

export const SURFACES: readonly Surface[] = served;

/** Every operation served, with its contract as a type. */
export type ServedOperation = (typeof served)[number]["operations"][number];

/** Every operation served. */
export const OPERATIONS: readonly Operation[] = SURFACES.flatMap(({ operations }) => operations);

/** Those that need no credential. */
export const OPEN_OPERATIONS: ReadonlySet<Operation> = new Set(
  SURFACES.filter(({ isOpen }) => isOpen).flatMap(({ operations }) => operations),
);

/** The schemas shared by operations: everything that the resources' `schema.ts` export. */
export const SCHEMAS = Object.fromEntries(
  [
    applicationsSchema,
    bannersSchema,
    clientSchema,
    constraintsSchema,
    contextFieldsSchema,
    dashboardSchema,
    dependenciesSchema,
    edgeSchema,
    environmentsSchema,
    eventSchema,
    eventsSchema,
    featureTagsSchema,
    featureTypesSchema,
    featuresSchema,
    frontendSchema,
    featuresBatchSchema,
    feedbackSchema,
    groupsSchema,
    lifecycleSchema,
    instanceSchema,
    integrationsSchema,
    invitationsSchema,
    settingsSchema,
    notificationsSchema,
    ownUserSchema,
    playgroundSchema,
    projectsSchema,
    projectAccessSchema,
    segmentsSchema,
    searchSchema,
    rolesSchema,
    serviceAccountsSchema,
    sessionsSchema,
    strategiesSchema,
    tagTypesSchema,
    tagsSchema,
    strategyTypesSchema,
    tokensSchema,
    usageSchema,
    variantsSchema,
    usersSchema,
  ].flatMap((exported) => Object.entries(exported).filter(([, value]) => "kind" in Object(value))),
) as Record<string, Schema>;
