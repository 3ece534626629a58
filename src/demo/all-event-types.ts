import { EVENT_TYPES, type EventType } from "../events/schema.ts";
import type { Change } from "./changes.ts";
import { USERS } from "./company.ts";
import type { DemoFeature } from "./features.ts";
import type { Random } from "./random.ts";

/** Plausible data for each family of event types. */
const SUBJECTS: ReadonlyArray<[prefix: string, data: object]> = [
  ["addon-config", { id: 1, provider: "webhook", enabled: true, description: "Release feed" }],
  ["actions", { id: 1, name: "Turn off on alarm", enabled: true }],
  ["api-token", { tokenName: "storefront-production", type: "client", environment: "production" }],
  ["application", { appName: "bike-shop", strategies: ["flexibleRollout"] }],
  ["banner", { id: 1, message: "Maintenance on Sunday" }],
  ["change", { changeRequestId: 7 }],
  ["client", { appName: "bike-shop", instanceId: "web-1" }],
  ["context-field", { name: "country", stickiness: false, legalValues: [] }],
  ["default-strategy", { name: "flexibleRollout", parameters: { rollout: "100" } }],
  ["environment", { name: "staging", type: "pre-production" }],
  ["feature-strategy", { name: "flexibleRollout", title: "Slow start", parameters: { rollout: "25" } }],
  ["feature-tag", { type: "simple", value: "q3-goal" }],
  ["feature-untagged", { type: "simple", value: "q3-goal" }],
  ["feature-dependency", { feature: "checkout-redesign", enabled: true }],
  ["feature-project-change", { newProject: "checkout", oldProject: "storefront" }],
  ["project-user", { roleId: 5, userId: 12, roleName: "Member", email: "lena@bikes.example" }],
  ["project-group", { groupId: 2, roleName: "Member" }],
  ["group", { id: 2, name: "Payments team" }],
  ["pat", { description: "laptop", expiresAt: null }],
  ["public-signup-token", { name: "Summer interns", enabled: true }],
  ["role", { id: 7, name: "Release manager", type: "custom-root" }],
  ["segment", { id: 2, name: "Beta testers" }],
  ["service-account", { id: 15, username: "release-robot" }],
  ["setting", { id: "maintenance", enabled: false }],
  ["signal-endpoint", { id: 1, name: "alarms" }],
  ["strategy", { name: "byPostcode", description: "Turned on by postcode" }],
  ["tag-type", { name: "team", icon: "T" }],
  ["tag", { type: "simple", value: "q3-goal" }],
  ["user", { id: 12, name: "Lena Schröder", email: "lena@bikes.example", rootRole: 3 }],
];

const IN_A_PROJECT = /^(project|change|feature|features|default-strategy)(-|$)/;
const OF_A_FLAG = /^(feature-|change-|strategy-order)/;
const IN_AN_ENVIRONMENT =
  /^(change-|strategy-order|feature-environment|project-environment|default-strategy)/;

/** Every type of event twice, over the year or, for flag events, the flag's life; in addition to the flags' histories. */
export const allEventTypes = (random: Random, now: number, span: number, flag: DemoFeature): Change[] =>
  [...EVENT_TYPES, ...EVENT_TYPES].map((type) => {
    const age = random.below(span);
    const shrink = OF_A_FLAG.test(type) ? (now - flag.createdAt) / span : 1;
    return toChange(random, type, now - Math.floor(age * shrink), flag);
  });

function toChange(random: Random, type: EventType, at: number, flag: DemoFeature): Change {
  const author = random.pick(USERS);
  const data = SUBJECTS.find(([prefix]) => type.startsWith(prefix))?.[1];
  const isRemoval = /-(deleted|removed)$/.test(type);
  return {
    at,
    type,
    createdBy: author.email,
    createdByUserId: author.id,
    ...(data && (isRemoval ? { preData: data } : { data })),
    ...(IN_A_PROJECT.test(type) && { project: random.pick(["storefront", "checkout", "mobile"]) }),
    ...(OF_A_FLAG.test(type) && { featureName: flag.name, project: flag.project.id }),
    ...(IN_AN_ENVIRONMENT.test(type) && { environment: "production" }),
  };
}
