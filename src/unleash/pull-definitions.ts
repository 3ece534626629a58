import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import {
  inPath,
  isWanted,
  keep,
  type Pull,
  read,
  readIfTold,
  readList,
  readListIfTold,
  Thing,
  toLines,
} from "./pull-source.ts";

/*
 * What the flags of all projects share, and the settings of the instance.
 */

export async function* environments(pull: Pull): AsyncGenerator<Line[]> {
  const list = await readList(pull, "environments", "environments");
  pull.counts.environments = list.length;
  yield toLines(pull, "environments", "environment", list);
}

export async function* definitions(pull: Pull, projects: readonly Thing[]): AsyncGenerator<Line[]> {
  await keep(pull, "definitions", [
    "tag-types",
    "tags",
    "context",
    "segments",
    "strategies",
    "feature-types",
  ]);
  const tagTypes = await readList(pull, "tag-types", "tagTypes");
  yield toLines(pull, "tag-types", "tagType", tagTypes);
  const tags = await readList(pull, "tags", "tags");
  yield toLines(pull, "tags", "tag", tags);
  yield* contextFields(pull, projects);
  yield* segments(pull);
  yield* strategyTypes(pull);
  yield* featureTypes(pull);
}

async function* contextFields(pull: Pull, projects: readonly Thing[]): AsyncGenerator<Line[]> {
  const fields = await read(pull, "context", Fields);
  pull.counts.contextFields = fields.length;
  yield toLines(pull, "context", "contextField", fields);
  const pathOf = ({ id }: Thing) => `projects/${inPath(id)}/context`;
  await keep(pull, "context fields", projects.map(pathOf));
  for (const project of projects) {
    const own = (await readIfTold(pull, pathOf(project), Fields)) ?? []; // since 7.4
    const lines = own.map((field) => ({ ...field, project: project.id }));
    yield toLines(pull, pathOf(project), "contextField", lines);
  }
}

const Fields = v.array(Thing);

async function* segments(pull: Pull): AsyncGenerator<Line[]> {
  const all = await readList(pull, "segments", "segments");
  pull.counts.segments = all.length;
  const wanted = all.filter(({ project }) => isWanted(pull, project));
  yield toLines(pull, "segments", "segment", wanted);
}

/** Of a built-in one, only whether it is deprecated can be told. */
async function* strategyTypes(pull: Pull): AsyncGenerator<Line[]> {
  const types = await readList(pull, "strategies", "strategies");
  pull.counts.strategies = types.length;
  const lines = types.map((type) =>
    type.editable === false ? { name: type.name, deprecated: type.deprecated } : type,
  );
  yield toLines(pull, "strategies", "strategyType", lines);
}

/** The types of 6.4; a later one's lifetime has no place here. */
const FEATURE_TYPES = ["release", "experiment", "operational", "kill-switch", "permission"];

async function* featureTypes(pull: Pull): AsyncGenerator<Line[]> {
  const types = await readList(pull, "feature-types", "types");
  const known = types.filter(({ id }) => FEATURE_TYPES.includes(String(id)));
  yield toLines(pull, "feature-types", "featureType", known);
  for (const { id } of types.filter((type) => !known.includes(type)))
    pull.losses.push({
      what: `the lifetime of flags of the type ${id}`,
      reason: "there is no such type here",
    });
}

const UiConfig = v.object({ frontendApiOrigins: v.nullish(v.array(v.string())) });

export async function* settings(pull: Pull): AsyncGenerator<Line[]> {
  const { frontendApiOrigins } = await read(pull, "ui-config", UiConfig);
  if (frontendApiOrigins && frontendApiOrigins.join() !== "*")
    yield toLines(pull, "ui-config", "setting", [
      { name: "unleash.frontend", content: { frontendApiOrigins } },
    ]);
  const banners = await readListIfTold(pull, "banners", "banners", "banners");
  yield toLines(pull, "banners", "banner", banners);
}
