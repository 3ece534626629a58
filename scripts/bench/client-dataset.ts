import { tokenLine } from "./dataset.ts";
import type { Request } from "./load.ts";

/*
 * Flags in a single environment, each with a gradual rollout in a few countries; a thousand of them make a 0.4 MB
 * response.
 */

const ENVIRONMENT = "production";
const PROJECT = "shop";

export const SERVICE = `*:*.${"0".repeat(56)}`;
export const CLIENT = `*:${ENVIRONMENT}.${"c".repeat(56)}`;
export const FRONTEND = `*:${ENVIRONMENT}.${"f".repeat(56)}`;

export const flagName = (index: number) => `team-${index % 40}-flag-${index}`;

/** Switches the flags off and on again, one after the other. */
export const toggle = (turn: number, flags: number): Request => ({
  name: "toggle",
  method: "POST",
  token: SERVICE,
  path: `/api/admin/projects/${PROJECT}/features/${flagName((turn >> 1) % flags)}/environments/${ENVIRONMENT}/${turn % 2 ? "on" : "off"}`,
});

export function* clientLines(flags: number): Generator<object> {
  const createdAt = "2026-01-01T00:00:00Z";
  yield { kind: "dataset", version: 1 };
  yield { kind: "environment", name: ENVIRONMENT, type: ENVIRONMENT, sortOrder: 1 };
  yield { kind: "project", id: PROJECT, name: PROJECT, createdAt, environments: [ENVIRONMENT] };
  yield tokenLine("admin", SERVICE, { environment: "*" });
  yield tokenLine("client", CLIENT, { environment: ENVIRONMENT });
  yield tokenLine("frontend", FRONTEND, { environment: ENVIRONMENT });
  for (let index = 0; index < flags; index++) {
    const state = { name: ENVIRONMENT, enabled: index % 4 !== 3, strategies: [strategyOf(index)] };
    const feature = { name: flagName(index), project: PROJECT, createdAt, createdByUserId: 1 };
    yield { kind: "feature", ...feature, environments: [state] };
  }
}

const strategyOf = (index: number) => ({
  name: "flexibleRollout",
  parameters: { rollout: String(index % 101), stickiness: "default", groupId: flagName(index) },
  constraints: [{ contextName: "country", operator: "IN", values: ["DE", "FR", "JP"] }],
});
