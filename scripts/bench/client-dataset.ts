import { hashSecret } from "../../src/access/token.ts";

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

export const switchPath = (index: number, state: "on" | "off") =>
  `/api/admin/projects/${PROJECT}/features/${flagName(index)}/environments/${ENVIRONMENT}/${state}`;

export function* clientLines(flags: number): Generator<string> {
  const createdAt = "2026-01-01T00:00:00Z";
  const token = (type: string, secret: string, environment: string) => ({
    kind: "token",
    type,
    name: type,
    hash: hashSecret(secret),
    environment,
  });
  const all = [
    { kind: "dataset", version: 1 },
    { kind: "environment", name: ENVIRONMENT, type: ENVIRONMENT, sortOrder: 1 },
    { kind: "project", id: PROJECT, name: PROJECT, createdAt, environments: [ENVIRONMENT] },
    token("admin", SERVICE, "*"),
    token("client", CLIENT, ENVIRONMENT),
    token("frontend", FRONTEND, ENVIRONMENT),
    ...Array.from({ length: flags }, (_, index) => ({
      kind: "feature",
      name: flagName(index),
      project: PROJECT,
      createdAt,
      createdByUserId: 1,
      environments: [{ name: ENVIRONMENT, enabled: index % 4 !== 0, strategies: [strategyOf(index)] }],
    })),
  ];
  for (const line of all) yield `${JSON.stringify(line)}\n`;
}

const strategyOf = (index: number) => ({
  name: "flexibleRollout",
  parameters: { rollout: String(index % 101), stickiness: "default", groupId: flagName(index) },
  constraints: [{ contextName: "country", operator: "IN", values: ["DE", "FR", "JP"] }],
});
