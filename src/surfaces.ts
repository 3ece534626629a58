import type { Actor } from "./auth/actor.ts";
import { authenticate, type Credentials } from "./auth/authenticate.ts";
import type { Database } from "./db/statement.ts";
import * as eventSchema from "./events/schema.ts";
import type { Operation } from "./http/operation.ts";
import * as constraintsSchema from "./resources/constraints/schema.ts";
import * as dashboard from "./resources/dashboard/routes.ts";
import * as dashboardSchema from "./resources/dashboard/schema.ts";
import * as events from "./resources/events/routes.ts";
import * as eventsSchema from "./resources/events/schema.ts";
import * as features from "./resources/features/routes.ts";
import * as featuresSchema from "./resources/features/schema.ts";
import * as integrations from "./resources/integrations/routes.ts";
import * as integrationsSchema from "./resources/integrations/schema.ts";
import * as notifications from "./resources/notifications/routes.ts";
import * as notificationsSchema from "./resources/notifications/schema.ts";
import * as users from "./resources/users/routes.ts";
import * as usersSchema from "./resources/users/schema.ts";
import type { Schema } from "./validation.ts";

/** Who may come in where. */
interface Surface {
  /** What the paths of its operations begin with; whatever is asked below it needs the credential. */
  prefix: `/${string}`;
  /** Who asks. @throws ApiError `AuthenticationRequired` */
  authenticate(db: Database, credentials: Credentials): Actor;
  /** Whatever a resource's `routes.ts` exports. */
  operations: readonly Operation[];
}

export const SURFACES: readonly Surface[] = [
  {
    prefix: "/api/admin",
    authenticate,
    operations: [integrations, features, events, users, notifications, dashboard].flatMap((routes) =>
      Object.values<Operation>({ ...routes }),
    ),
  },
];

/** Every operation that is served. */
export const OPERATIONS: readonly Operation[] = SURFACES.flatMap(({ operations }) => operations);

/** What the descriptions of operations share: whatever a resource's `schema.ts` exports. */
export const SCHEMAS = Object.fromEntries(
  [
    constraintsSchema,
    dashboardSchema,
    eventSchema,
    eventsSchema,
    featuresSchema,
    integrationsSchema,
    notificationsSchema,
    usersSchema,
  ].flatMap((exported) => Object.entries(exported).filter(([, value]) => "kind" in Object(value))),
) as Record<string, Schema>;
