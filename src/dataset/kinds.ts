import type { Kind } from "./kind.ts";
import { contextField } from "./kinds/context-field.ts";
import { environment } from "./kinds/environment.ts";
import { event } from "./kinds/event.ts";
import { feature } from "./kinds/feature.ts";
import { group } from "./kinds/group.ts";
import { integration } from "./kinds/integration.ts";
import { integrationEvent } from "./kinds/integration-event.ts";
import { notification } from "./kinds/notification.ts";
import { project } from "./kinds/project.ts";
import { projectRole } from "./kinds/project-role.ts";
import { role } from "./kinds/role.ts";
import { segment } from "./kinds/segment.ts";
import { tagType } from "./kinds/tag-type.ts";
import { token } from "./kinds/token.ts";
import { user } from "./kinds/user.ts";

/** Every kind of line in the order of an export: none refers to what comes later. */
export const KINDS: readonly Kind[] = [
  environment,
  role,
  user,
  group,
  token,
  project,
  projectRole,
  tagType,
  contextField,
  segment,
  feature,
  integration,
  event,
  integrationEvent,
  notification,
];
