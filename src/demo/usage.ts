import { DAY, type DemoFeature, HOUR } from "./features.ts";
import { createRandom } from "./random.ts";

/** Of its own, so that all else stays as it is. */
const SEED = 20_260_102;

/** Where use is told of. */
const ENVIRONMENT = "production";

type State = DemoFeature["environments"][number];

/** Whether a flag is in use in an environment now. */
export const isUsed = (feature: DemoFeature, { name, enabled, lastSeenAt }: State) =>
  feature.archivedAt === undefined && name === ENVIRONMENT && enabled && lastSeenAt !== undefined;

/** The applications of the projects, and how often they found flags on and off within two days. */
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

/** More by day than by night. */
function hours(used: readonly DemoFeature[], now: number) {
  const random = createRandom(SEED);
  const first = now - (now % HOUR) - 47 * HOUR;
  return used.map(({ name, project, environments }) => {
    const most = 20 + random.below(2000);
    const share = random.below(100) / 100;
    const variants = environments.find((one) => one.name === ENVIRONMENT)!.variants;
    const found = Array.from({ length: 48 }, (_, index) => {
      const hour = new Date(first + index * HOUR);
      const asked = Math.round(
        most * (1.2 - Math.cos((hour.getUTCHours() / 12) * Math.PI)) * (0.4 + random.below(20) / 100),
      );
      const yes = Math.round(asked * share);
      const each = Object.fromEntries(
        variants.map((variant) => [variant.name, Math.floor(yes / variants.length)]),
      );
      return { hour: hour.toISOString(), yes, no: asked - yes, variants: each };
    });
    return {
      kind: "usage",
      feature: name,
      environment: ENVIRONMENT,
      application: nameOf(project.id),
      hours: found,
    };
  });
}
