import type { Change } from "./activity.ts";
import { type DemoFeature, HOUR, USERS } from "./company.ts";

/** What went wrong today: a flag meant for a few was rolled out to everyone in production. */

const FLAG = "payment-redesign";
const ENVIRONMENT = "production";
const AT_FIRST = 10;
const NOW = 100;

const strategy = (rollout: number) => ({
  id: "5f0c2a86-6f1d-4d0b-9c58-0e5d7c1b6a42",
  name: "flexibleRollout",
  title: "Slow start",
  disabled: false,
  segments: [],
  constraints: [],
  variants: [],
  parameters: { rollout: String(rollout), stickiness: "default", groupId: FLAG },
});

/** The flag as it was before; others as they are. */
export const beforeIncident = (feature: DemoFeature) => rolledOut(feature, AT_FIRST);

/** The flag as it is now; others as they are. */
export const afterIncident = (feature: DemoFeature) => rolledOut(feature, NOW);

function rolledOut(feature: DemoFeature, rollout: number): DemoFeature {
  if (feature.name !== FLAG) return feature;
  const environments = feature.environments.map((one) =>
    one.name === ENVIRONMENT
      ? { ...one, enabled: true, lastSeenAt: EVER, variants: [], strategies: [strategy(rollout)] }
      : one,
  );
  return { ...feature, archivedAt: undefined, stale: false, environments };
}

/** Replaced by the time of the dataset, since the flag is in use. */
const EVER = new Date(0).toISOString();

/** Whether a change agrees with the flag being on in production ever since it was turned on. */
export const agrees = ({ featureName, environment, type }: Change) =>
  featureName !== FLAG || environment !== ENVIRONMENT || type !== "feature-environment-disabled";

/** The change that did it, 40 minutes ago. */
export function incident(now: number): Change {
  const { id, email } = USERS.find(({ username }) => username === "farid")!;
  return {
    at: now - (2 / 3) * HOUR,
    type: "feature-strategy-update",
    createdBy: email,
    createdByUserId: id,
    project: "checkout",
    environment: ENVIRONMENT,
    featureName: FLAG,
    preData: strategy(AT_FIRST),
    data: strategy(NOW),
  };
}
