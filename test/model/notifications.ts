import type { Line } from "./dataset.ts";

const ACTIONS: Record<string, string> = {
  "feature-created": "created the flag",
  "feature-archived": "archived the flag",
  "feature-environment-enabled": "enabled the flag",
  "feature-environment-disabled": "disabled the flag",
};

/** The lines of the notifications for the members of each event's project, except its author. */
export function notificationsOf(lines: Line[], events: Line[]): Line[] {
  const before = lines.filter(({ kind }) => kind === "notification").map(({ id }) => id);
  return events
    .filter(({ type }) => type in ACTIONS)
    .map((event) => ({ event, members: membersOf(lines, event.project, event.createdByUserId) }))
    .filter(({ members }) => members.length > 0)
    .map(({ event, members }, index) => ({
      kind: "notification",
      id: Math.max(0, ...before) + 1 + index,
      message: `${event.createdBy} ${ACTIONS[event.type]} ${event.featureName}${event.environment === null ? "" : ` in ${event.environment}`}`,
      link: `/projects/${encodeURIComponent(event.project)}/features/${encodeURIComponent(event.featureName)}`,
      notificationType: "toggle",
      createdByUserId: event.createdByUserId,
      createdAt: event.createdAt,
      recipients: members.map((userId) => ({ userId })),
    }));
}

function membersOf(lines: Line[], project: string, except: number): number[] {
  const roles = lines.filter((line) => line.kind === "projectRole" && line.project === project);
  const groups = lines.filter(
    (line) => line.kind === "group" && roles.some(({ group }) => group === line.id),
  );
  const direct = roles.flatMap(({ user }) => user ?? []);
  return [...new Set<number>([...direct, ...groups.flatMap(({ users }) => users)])].filter(
    (id) => id !== except,
  );
}
