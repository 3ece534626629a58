import { EVENT_TYPES, type EventType } from "../events/schema.ts";
import { DAY, type DemoFeature, HOUR, membersOf, PIPELINE, PROJECTS, USERS } from "./company.ts";
import { atWork, createRandom, type Random } from "./random.ts";

/** An event without its id: who did what, and when, in milliseconds. */
export interface Change {
  at: number;
  type: EventType;
  createdBy: string;
  createdByUserId: number | null;
  project?: string;
  environment?: string;
  featureName?: string;
  data?: object;
  preData?: object;
  tags?: ReadonlyArray<{ type: string; value: string }>;
  /** It only shows what such an event looks like. */
  isExample?: boolean;
}

/** A change as recorded in the log. */
export type DemoEvent = Change & { id: number };

type Step = Pick<Change, "type"> & Partial<Change>;

/** The history of a flag: how it was made, what was changed later at random times, and its end. */
export function changesOf(random: Random, feature: DemoFeature, now: number): Change[] {
  const [made, end] = [madeAt(feature, now), endOf(feature, now)];
  const first = firstSteps(feature);
  const pause = (made - feature.createdAt) / first.length;
  const changes = first.map((step, index) =>
    toChange(random, feature, step, Math.floor(feature.createdAt + index * pause)),
  );
  const later = laterSteps(random, feature).map((step) =>
    toChange(random, feature, step, atWork(random, made, end)),
  );
  const last =
    feature.archivedAt === undefined ? [] : [toChange(random, feature, { type: "feature-archived" }, end)];
  return [...changes, ...later, ...last];
}

/** When a new flag had all it needed. */
export const madeAt = (feature: DemoFeature, now: number) =>
  Math.min(feature.createdAt + HOUR, (feature.createdAt + endOf(feature, now)) / 2);

/** When it was last changed at the latest. */
const endOf = ({ archivedAt }: DemoFeature, now: number) => archivedAt ?? now - HOUR;

/** Further changes of flags, without end, in no order. */
export function* furtherChanges(random: Random, features: readonly DemoFeature[], now: number) {
  for (;;) {
    const feature = random.pick(features);
    for (const step of laterSteps(random, feature))
      yield toChange(random, feature, step, atWork(random, madeAt(feature, now), endOf(feature, now)));
  }
}

function firstSteps(feature: DemoFeature): Step[] {
  const { name, type, description, impressionData, project } = feature;
  const created: Step = {
    type: "feature-created",
    createdBy: feature.author.email,
    createdByUserId: feature.author.id,
    data: { name, description, type, project: project.id, stale: false, impressionData },
  };
  const perEnvironment = feature.environments.flatMap(
    ({ name: environment, enabled, strategies }): Step[] => [
      ...strategies.map((strategy): Step => ({ type: "feature-strategy-add", environment, data: strategy })),
      ...(enabled ? [{ type: "feature-environment-enabled", environment } as const] : []),
    ],
  );
  return [
    created,
    ...feature.tags.map((tag): Step => ({ type: "feature-tagged", data: tag })),
    ...perEnvironment,
  ];
}

function laterSteps(random: Random, feature: DemoFeature): Step[] {
  const { name, description, type, project } = feature;
  const state = { name, description, type, project: project.id };
  const switched = Array.from({ length: random.below(3) }, (): Step[] => {
    const environment = random.pick(feature.environments).name;
    return [
      { type: "feature-environment-disabled", environment },
      { type: "feature-environment-enabled", environment },
    ];
  }).flat();
  const rollouts = Array.from({ length: random.below(4) }, (_, index): Step[] => {
    const environment = random.pick(feature.environments);
    const strategy = environment.strategies.find(({ parameters }) => "rollout" in parameters);
    if (!strategy) return [];
    const at = (rollout: number) => ({
      ...strategy,
      parameters: { ...strategy.parameters, rollout: String(rollout) },
    });
    const [preData, data] = [at(10 * (index + 1)), at(10 * (index + 2))];
    return [{ type: "feature-strategy-update", environment: environment.name, preData, data }];
  }).flat();
  return [
    ...switched,
    ...rollouts,
    ...(random.chance(0.3)
      ? [{ type: "feature-metadata-updated", preData: { ...state, description: "" }, data: state } as const]
      : []),
    ...(feature.stale ? [{ type: "feature-stale-on" } as const] : []),
  ];
}

function toChange(random: Random, feature: DemoFeature, step: Step, at: number): Change {
  const someone = random.pick(USERS);
  const isPipeline = random.chance(0.1);
  return {
    createdBy: isPipeline ? PIPELINE : someone.email,
    createdByUserId: isPipeline ? -42 : someone.id,
    project: feature.project.id,
    featureName: feature.name,
    tags: feature.tags,
    ...step,
    at,
  };
}

/** Separate from the other seed, so that the rest of the demo stays the same. */
const SEED = 20_260_102;

/** The environment with usage data. */
const ENVIRONMENT = "production";

type State = DemoFeature["environments"][number];

/** Whether a flag is in use in an environment now. */
export const isUsed = (feature: DemoFeature, { name, enabled, lastSeenAt }: State) =>
  feature.archivedAt === undefined && name === ENVIRONMENT && enabled && lastSeenAt !== undefined;

/** The applications of the projects, and how often flags were on and off for them in the last two days. */
export function usage(features: readonly DemoFeature[], now: number): object[] {
  const used = features.filter((feature) => feature.environments.some((one) => isUsed(feature, one)));
  const projects = [...new Set(used.map(({ project }) => project.id))];
  return [...projects.flatMap((project) => application(project, now)), ...hours(used, now), unknown(now)];
}

const nameOf = (project: string) => `${project}-web`;

function application(project: string, now: number) {
  const [createdAt, seenAt] = [now - 300 * DAY, now].map((time) => new Date(time).toISOString());
  const name = nameOf(project);
  const place = { environment: ENVIRONMENT, application: name, createdAt, seenAt };
  const places = [{ project, environment: ENVIRONMENT }];
  const strategies = ["default", "flexibleRollout"];
  return [
    { kind: "application", name, description: `The pages of ${project}`, strategies, createdAt, places },
    ...["blue", "green"].map((instance, index) => ({
      kind: "instance",
      ...place,
      instance,
      sdkVersion: `unleash-client-node:${index === 0 ? "6.4.0" : "5.2.0"}`,
    })),
  ];
}

function hours(used: readonly DemoFeature[], now: number) {
  const random = createRandom(SEED);
  const first = now - (now % HOUR) - 47 * HOUR;
  return used.map(({ name, project, environments }) => {
    const { variants } = environments.find((one) => one.name === ENVIRONMENT)!;
    const names = variants.map((variant) => variant.name);
    const flag = { most: 20 + random.below(2000), share: random.fraction(), names };
    const found = Array.from({ length: 48 }, (_, index) => oneHour(random, first + index * HOUR, flag));
    const place = { environment: ENVIRONMENT, application: nameOf(project.id) };
    return { kind: "usage", feature: name, ...place, hours: found };
  });
}

/** One application asks for a flag that was never there. */
const unknown = (now: number) => ({
  kind: "usage",
  feature: "cart-redesing",
  environment: ENVIRONMENT,
  application: nameOf("checkout"),
  hours: [{ hour: new Date(now - (now % HOUR)).toISOString(), yes: 0, no: 12 }],
});

interface Flag {
  most: number;
  share: number;
  /** Of its variants. */
  names: readonly string[];
}

/** More by day than by night. */
function oneHour(random: Random, time: number, { most, share, names }: Flag) {
  const hour = new Date(time);
  const daylight = 1.2 - Math.cos((hour.getUTCHours() / 12) * Math.PI);
  const evaluations = Math.round(most * daylight * (0.4 + random.fraction() / 5));
  const yes = Math.round(evaluations * share);
  const variants = Object.fromEntries(names.map((name) => [name, Math.floor(yes / names.length)]));
  return { hour: hour.toISOString(), yes, no: evaluations - yes, variants };
}

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
    return toChangeOf(random, type, now - Math.floor(age * shrink), flag);
  });

function toChangeOf(random: Random, type: EventType, at: number, flag: DemoFeature): Change {
  const author = random.pick(USERS);
  const data = SUBJECTS.find(([prefix]) => type.startsWith(prefix))?.[1];
  const isRemoval = /-(deleted|removed)$/.test(type);
  return {
    at,
    type,
    isExample: true,
    createdBy: author.email,
    createdByUserId: author.id,
    ...(data && (isRemoval ? { preData: data } : { data })),
    ...(IN_A_PROJECT.test(type) && { project: random.pick(["storefront", "checkout", "mobile"]) }),
    ...(OF_A_FLAG.test(type) && { featureName: flag.name, project: flag.project.id }),
    ...(IN_AN_ENVIRONMENT.test(type) && { environment: "production" }),
  };
}
