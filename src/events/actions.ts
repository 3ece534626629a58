import { bold, type Described, flag, joinWords, subjectOf } from "./names.ts";
import { strategyChanges } from "./strategy-changes.ts";
import type { EventType } from "./types.ts";

/** Descriptions of actions that say more than the type's label; undefined if the event lacks the data for one. */
export const ACTIONS: Partial<Record<EventType, (event: Described) => string | undefined>> = {
  "project-user-added": (event) => membership(event, "gave", "to"),
  "project-user-removed": (event) => membership(event, "took", "from"),
  "project-group-added": (event) => membership(event, "gave", "to"),
  "project-group-removed": (event) => membership(event, "took", "from"),
  "project-environment-added": ({ environment }) => `added the environment ${bold(environment)}`,
  "project-environment-removed": ({ environment }) => `removed the environment ${bold(environment)}`,
  "change-request-sent-to-review": (event) =>
    joinWords("sent the change request", subjectOf(event), "to review"),
  "change-request-scheduled-application-success": (event) =>
    joinWords("applied the scheduled change request", subjectOf(event)),
  "change-request-scheduled-application-failure": (event) =>
    joinWords("failed to apply the scheduled change request", subjectOf(event)),
  "client-metrics": () => "reported metrics",
};

/** The same for flags. */
export const FLAG_ACTIONS: typeof ACTIONS = {
  "feature-strategy-add": (event) =>
    ofState(event, "name", () => `added the strategy ${strategyOf(event)} to ${flag(event)}`),
  "feature-strategy-remove": (event) =>
    ofState(event, "name", () => `removed the strategy ${strategyOf(event)} from ${flag(event)}`),
  "feature-strategy-update": (event) =>
    ofState(
      event,
      "name",
      () => `updated the strategy ${strategyOf(event)} of ${flag(event)}${changesOf(event)}`,
    ),
  "strategy-order-changed": (event) => `changed the order of the strategies of ${flag(event)}`,
  "feature-tagged": (event) =>
    ofState(event, "value", ({ type, value }) => `tagged ${flag(event)} with ${bold(`${type}:${value}`)}`),
  "feature-untagged": (event) =>
    ofState(
      event,
      "value",
      ({ type, value }) => `removed the tag ${bold(`${type}:${value}`)} from ${flag(event)}`,
    ),
  "feature-project-change": (event) =>
    ofState(
      event,
      "oldProject",
      ({ oldProject }) => `moved ${flag(event)} from the project ${bold(oldProject)}`,
    ) ?? `moved ${flag(event)}`,
  "feature-stale-on": (event) => `marked ${flag(event)} as stale`,
  "feature-stale-off": (event) => `marked ${flag(event)} as no longer stale`,
  "feature-potentially-stale-on": (event) => `marked ${flag(event)} as potentially stale`,
  "feature-completed": (event) => `marked ${flag(event)} as completed`,
  "feature-uncompleted": (event) => `marked ${flag(event)} as no longer completed`,
  "feature-environment-variants-updated": (event) => `updated the variants of ${flag(event)}`,
  "feature-dependency-added": (event) =>
    ofState(event, "feature", ({ feature }) => `made ${flag(event)} depend on ${bold(feature)}`),
  "feature-dependency-removed": (event) =>
    ofState(event, "feature", ({ feature }) => `made ${flag(event)} no longer depend on ${bold(feature)}`),
};

/** Describes the state after the change, or else before it; undefined if that lacks the key. */
function ofState({ data, preData }: Described, key: string, say: (state: Record<string, unknown>) => string) {
  const state = data ?? preData;
  return state?.[key] === undefined ? undefined : say(state);
}

/** For example: gave the user **12** the role … */
const membership = (event: Described, verb: string, to: string) =>
  ofState(event, "roleName", ({ roleName, email, userId, groupId }) => {
    const who = email
      ? bold(email)
      : groupId === undefined
        ? `the user ${bold(userId)}`
        : `the group ${bold(groupId)}`;
    return `${verb} the role ${bold(roleName)} ${to} ${who}`;
  });

function strategyOf({ data, preData }: Described) {
  const { title, name } = data ?? preData ?? {};
  return bold(title || preData?.title || name);
}

function changesOf({ data, preData }: Described) {
  const changes = data && preData ? strategyChanges(preData, data) : [];
  return changes.length === 0 ? "" : ` (${changes.join("; ")})`;
}
