import { application, instance } from "../resources/applications/dataset.ts";
import { banner } from "../resources/banners/dataset.ts";
import { contextField } from "../resources/context-fields/dataset.ts";
import { environment } from "../resources/environments/dataset.ts";
import { event } from "../resources/events/dataset.ts";
import { featureType } from "../resources/feature-types/dataset.ts";
import { feature } from "../resources/features/dataset.ts";
import { group } from "../resources/groups/dataset.ts";
import { counter } from "../resources/instance/dataset.ts";
import { integration, integrationEvent } from "../resources/integrations/dataset.ts";
import { invitation } from "../resources/invitations/dataset.ts";
import { notification, notificationMute } from "../resources/notifications/dataset.ts";
import { deletedPrivateProject, project, projectRole } from "../resources/projects/dataset.ts";
import { role } from "../resources/roles/dataset.ts";
import { segment } from "../resources/segments/dataset.ts";
import { setting } from "../resources/settings/dataset.ts";
import { strategyType } from "../resources/strategy-types/dataset.ts";
import { tagType } from "../resources/tag-types/dataset.ts";
import { tag } from "../resources/tags/dataset.ts";
import { token } from "../resources/tokens/dataset.ts";
import { usage } from "../resources/usage/dataset.ts";
import { user } from "../resources/users/dataset.ts";
import type { Kind } from "./kind.ts";

/** Every kind of line in export order: none refers to a later one. */
export const KINDS: readonly Kind[] = [
  counter,
  setting,
  banner,
  environment,
  role,
  user,
  group,
  token,
  invitation,
  deletedPrivateProject,
  project,
  projectRole,
  notificationMute,
  tagType,
  tag,
  contextField,
  segment,
  strategyType,
  featureType,
  feature,
  integration,
  event,
  integrationEvent,
  notification,
  application,
  instance,
  usage,
];
