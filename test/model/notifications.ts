import type { Line } from "./dataset.ts";

const ACTIONS: Record<string, string> = {
  "feature-created": "created the flag",
  "feature-archived": "archived the flag",
  "feature-environment-enabled": "enabled the flag",
  "feature-environment-disabled": "disabled the flag",
};

/** The lines of the notifications of these events: for whoever is a member of the project when they are read. */
export function notificationsOf(lines: Line[], events: Line[]): Line[] {
  const before = lines.filter(({ kind }) => kind === "notification").map(({ id }) => id);
  return events
    .filter(({ type }) => type in ACTIONS)
    .map((event, index) => ({
      kind: "notification",
      id: Math.max(0, ...before) + 1 + index,
      message: `${event.createdBy} ${ACTIONS[event.type]} ${event.featureName}${event.environment === null ? "" : ` in ${event.environment}`}`,
      link: `/projects/${encodeURIComponent(event.project)}/features/${encodeURIComponent(event.featureName)}`,
      notificationType: "toggle",
      createdByUserId: event.createdByUserId,
      createdAt: event.createdAt,
      project: event.project,
      recipients: [],
    }));
}
