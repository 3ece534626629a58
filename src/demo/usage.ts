import { DAY, type DemoFeature, HOUR } from "./features.ts";
import { createRandom, type Random } from "./random.ts";

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
  return [...projects.flatMap((project) => application(project, now)), ...hours(used, now)];
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
