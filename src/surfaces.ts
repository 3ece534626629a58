import { type Actor, ANYBODY } from "./auth/actor.ts";
import { authenticate, type Credentials } from "./auth/authenticate.ts";
import type { Database } from "./db/statement.ts";
import * as eventSchema from "./events/schema.ts";
import type { Operation } from "./http/operation.ts";
import * as constraintsSchema from "./resources/constraints/schema.ts";
import * as dashboard from "./resources/dashboard/routes.ts";
import * as dashboardSchema from "./resources/dashboard/schema.ts";
import * as dependencies from "./resources/dependencies/routes.ts";
import * as dependenciesSchema from "./resources/dependencies/schema.ts";
import * as events from "./resources/events/routes.ts";
import * as eventsSchema from "./resources/events/schema.ts";
import * as favorites from "./resources/favorites/routes.ts";
import * as features from "./resources/features/routes.ts";
import * as archive from "./resources/features/routes-archive.ts";
import * as bulk from "./resources/features/routes-bulk.ts";
import * as move from "./resources/features/routes-move.ts";
import * as featuresSchema from "./resources/features/schema.ts";
import * as feedback from "./resources/feedback/routes.ts";
import * as feedbackSchema from "./resources/feedback/schema.ts";
import * as groups from "./resources/groups/routes.ts";
import * as groupsSchema from "./resources/groups/schema.ts";
import * as integrations from "./resources/integrations/routes.ts";
import * as integrationsSchema from "./resources/integrations/schema.ts";
import * as lifecycle from "./resources/lifecycle/routes.ts";
import * as lifecycleSchema from "./resources/lifecycle/schema.ts";
import * as notifications from "./resources/notifications/routes.ts";
import * as notificationsSchema from "./resources/notifications/schema.ts";
import * as ownUser from "./resources/own-user/routes.ts";
import * as ownUserSchema from "./resources/own-user/schema.ts";
import * as projects from "./resources/projects/routes.ts";
import * as projectChanges from "./resources/projects/routes-change.ts";
import * as projectReads from "./resources/projects/routes-read.ts";
import * as projectsSchema from "./resources/projects/schema.ts";
import * as resets from "./resources/resets/routes.ts";
import * as roles from "./resources/roles/routes.ts";
import * as rolesSchema from "./resources/roles/schema.ts";
import * as sessions from "./resources/sessions/routes.ts";
import * as strategies from "./resources/strategies/routes.ts";
import * as strategiesSchema from "./resources/strategies/schema.ts";
import * as tokens from "./resources/tokens/routes.ts";
import * as apiTokens from "./resources/tokens/routes-api.ts";
import * as projectTokens from "./resources/tokens/routes-project.ts";
import * as tokensSchema from "./resources/tokens/schema.ts";
import * as users from "./resources/users/routes.ts";
import * as userLists from "./resources/users/routes-lists.ts";
import * as passwords from "./resources/users/routes-passwords.ts";
import * as userPermissions from "./resources/users/routes-permissions.ts";
import * as usersSchema from "./resources/users/schema.ts";
import * as variantsSchema from "./resources/variants/schema.ts";
import type { Schema } from "./validation.ts";

/** Who may come in where. */
interface Surface {
  /** What the paths of its operations begin with; whatever is asked below it needs the credential. */
  prefix: `/${string}`;
  /** Who asks. @throws ApiError `AuthenticationRequired` */
  authenticate(db: Database, credentials: Credentials): Actor;
  /** It needs no credential. */
  isOpen?: true;
  /** Whatever a resource's `routes.ts` exports. */
  operations: readonly Operation[];
}

const operationsOf = (...routes: object[]) =>
  routes.flatMap((exported) => Object.values<Operation>({ ...exported }));

export const SURFACES: readonly Surface[] = [
  {
    prefix: "/api/admin",
    authenticate,
    operations: operationsOf(
      integrations,
      features,
      archive,
      bulk,
      move,
      dependencies,
      favorites,
      lifecycle,
      strategies,
      projects,
      projectReads,
      projectChanges,
      events,
      users,
      userLists,
      userPermissions,
      passwords,
      ownUser,
      tokens,
      apiTokens,
      projectTokens,
      roles,
      groups,
      feedback,
      notifications,
      dashboard,
    ),
  },
  { prefix: "/auth", isOpen: true, authenticate: () => ANYBODY, operations: operationsOf(sessions, resets) },
];

/** Every operation that is served. */
export const OPERATIONS: readonly Operation[] = SURFACES.flatMap(({ operations }) => operations);

/** What the descriptions of operations share: whatever a resource's `schema.ts` exports. */
export const SCHEMAS = Object.fromEntries(
  [
    constraintsSchema,
    dashboardSchema,
    dependenciesSchema,
    eventSchema,
    eventsSchema,
    featuresSchema,
    feedbackSchema,
    groupsSchema,
    lifecycleSchema,
    integrationsSchema,
    notificationsSchema,
    ownUserSchema,
    projectsSchema,
    rolesSchema,
    strategiesSchema,
    tokensSchema,
    variantsSchema,
    usersSchema,
  ].flatMap((exported) => Object.entries(exported).filter(([, value]) => "kind" in Object(value))),
) as Record<string, Schema>;
