import type { EventType } from "../events/schema.ts";
import type { DemoEvent } from "./changes.ts";
import { membersOf, PROJECTS } from "./company.ts";
import { DAY } from "./features.ts";
import type { Random } from "./random.ts";

const SENTENCES: Partial<Record<EventType, string>> = {
  "feature-created": "created the flag",
  "feature-archived": "archived the flag",
  "feature-environment-enabled": "enabled the flag",
  "feature-environment-disabled": "disabled the flag",
  "change-request-created": "created a change request for",
  "change-request-approved": "approved a change request for",
  "change-request-applied": "applied a change request for",
};

const RECENT = 60 * DAY;

/** The notifications of projects' members in the last two months; most of those older than a week have been read. */
export const notifications = (random: Random, events: DemoEvent[], now: number): object[] =>
  events
    .filter((event) => SENTENCES[event.type] && event.at > now - RECENT)
    .map((event) => ({
      kind: "notification",
      message: `${event.createdBy} ${SENTENCES[event.type]} ${event.featureName}${where(event)}`,
      link: `/projects/${event.project}/features/${event.featureName}`,
      notificationType: event.type.startsWith("change-") ? "change-request" : "toggle",
      createdByUserId: event.createdByUserId,
      createdAt: new Date(event.at).toISOString(),
      project: event.project,
      recipients: PROJECTS.filter((project) => project.id === event.project)
        .flatMap(membersOf)
        .filter((userId) => userId !== event.createdByUserId)
        .map((userId) => ({ userId, readAt: readAt(random, event, now) }))
        .filter((recipient) => recipient.readAt !== null),
    }));

const where = ({ environment }: DemoEvent) => (environment ? ` in ${environment}` : "");

const readAt = (random: Random, { at }: DemoEvent, now: number) =>
  at < now - 7 * DAY && random.chance(0.9) ? new Date(at + random.below(2 * DAY)).toISOString() : null;
