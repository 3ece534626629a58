import { application } from "../applications/applications-store.ts";
import { instance } from "../applications/instances.ts";
import { usage } from "../applications/usage-store.ts";
import { changeRequest } from "../change-requests/dataset.ts";
import type { Kind } from "../dataset/kind.ts";
import { contextField } from "../flags/context-fields.ts";
import { featureType } from "../flags/feature-types.ts";
import { feature } from "../flags/features-dataset.ts";
import { segment } from "../flags/segments.ts";
import { strategyType } from "../flags/strategy-types.ts";
import { tagType } from "../flags/tag-types.ts";
import { tag } from "../flags/tags.ts";
import { integration } from "../integrations/integrations-store.ts";
import { integrationEvent } from "../integrations/records.ts";
import { notification, notificationMute } from "../log/notifications.ts";
import { event, eventSeal } from "../log/store.ts";
import { group } from "../people/groups.ts";
import { invitation } from "../people/invitations.ts";
import { role } from "../people/roles.ts";
import { token } from "../people/tokens-store.ts";
import { user } from "../people/users-store.ts";
import { projectRole } from "../projects/access-store.ts";
import { environment } from "../projects/environments.ts";
import { deletedPrivateProject, project } from "../projects/projects-dataset.ts";
import { banner } from "../settings/banners.ts";
import { setting } from "../settings/settings.ts";
import { counterOf } from "./counters.ts";

const NOUNS: readonly Kind[] = [
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
  changeRequest,
  integration,
  event,
  eventSeal,
  integrationEvent,
  notification,
  application,
  instance,
  usage,
];

export const counter = counterOf(NOUNS);

/** Every kind of line in export order: none refers to a later one. */
export const KINDS: readonly Kind[] = [counter, ...NOUNS];

const named = new Map<unknown, Kind>(KINDS.map((kind) => [kind.name, kind]));

/** The kind of that name, if there is one. */
export const kindNamed = (name: unknown): Kind | undefined => named.get(name);
