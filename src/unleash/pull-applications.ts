import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import { inPath, isWanted, keep, type Pull, read, readIfTold, readList, toLines } from "./pull-source.ts";

/*
 * The applications that ask for flags, their instances, and how often each flag was asked for lately.
 */

const LIST = "metrics/applications?limit=1000";

const Application = v.looseObject({
  appName: v.string(),
  usage: v.nullish(v.array(v.looseObject({ project: v.string(), environments: v.array(v.string()) })), []),
});

export async function* applications(pull: Pull): AsyncGenerator<Line[]> {
  const { applications } = await read(pull, LIST, v.object({ applications: v.array(Application) }));
  const wanted = applications.filter(
    ({ usage }) =>
      usage!.length === 0 || usage!.some(({ project }) => project === "*" || isWanted(pull, project)),
  );
  const lines = wanted.map((application) => ({
    ...application,
    name: application.appName,
    places: application.usage!.flatMap(({ project, environments }) =>
      environments.map((environment) => ({ project, environment })),
    ),
  }));
  yield toLines(pull, LIST, "application", lines);
  yield* instances(
    pull,
    wanted.map(({ appName }) => appName),
  );
}

async function* instances(pull: Pull, names: readonly string[]): AsyncGenerator<Line[]> {
  const pathOf = (name: string) => `metrics/applications/${inPath(name)}`;
  await keep(pull, "applications", names.map(pathOf));
  for (const name of names) {
    const told = await readList(pull, pathOf(name), "instances");
    const lines = told.map((instance) => ({
      ...instance,
      application: name,
      environment: instance.environment ?? "default",
      instance: instance.instanceId,
      seenAt: instance.lastSeen,
    }));
    yield toLines(pull, pathOf(name), "instance", lines);
  }
}

/** The most hours of use that are told. */
const HOURS = 48;

const Hour = v.looseObject({
  yes: v.number(),
  no: v.number(),
  appName: v.string(),
  environment: v.string(),
  timestamp: v.string(),
});

/** How often flags were on and off in the last hours. @param names those that were asked for in that time */
export async function* usage(pull: Pull, names: readonly string[]): AsyncGenerator<Line[]> {
  const pathOf = (name: string) => `client-metrics/features/${inPath(name)}/raw?hoursBack=${HOURS}`;
  await keep(pull, "use of flags", names.map(pathOf));
  for (const name of names) {
    const told = await readIfTold(pull, pathOf(name), v.object({ data: v.array(Hour) }), "use of flags");
    const used = (told?.data ?? []).filter(({ yes, no }) => yes + no > 0);
    const series = Map.groupBy(used, ({ appName, environment }) => `${environment} ${appName}`);
    const lines = [...series.values()].map((hours) => ({
      feature: name,
      environment: hours[0]!.environment,
      application: hours[0]!.appName,
      hours: hours.map((hour) => ({ ...hour, hour: hour.timestamp })),
    }));
    yield toLines(pull, pathOf(name), "usage", lines);
  }
}
