import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import {
  inPath,
  isWanted,
  keep,
  only,
  onlyOfEach,
  type Pull,
  read,
  readIfTold,
  readList,
  readListIfTold,
  Thing,
  toLines,
} from "./source.ts";

/*
 * What the flags of all projects share, and the settings of the instance.
 */

export async function* environments(pull: Pull): AsyncGenerator<Line[]> {
  const list = await readList(pull, "environments", "environments");
  pull.counts.environments = list.length;
  const keys = ["name", "type", "sortOrder", "enabled", "protected"];
  yield toLines(pull, "environments", "environment", onlyOfEach(list, ...keys));
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
  yield toLines(pull, "tag-types", "tagType", onlyOfEach(tagTypes, "name", "description", "icon"));
  const tags = await readList(pull, "tags", "tags");
  yield toLines(pull, "tags", "tag", onlyOfEach(tags, "type", "value"));
  yield* contextFields(pull, projects);
  yield* segments(pull);
  yield* strategyTypes(pull);
  yield* featureTypes(pull);
}

async function* contextFields(pull: Pull, projects: readonly Thing[]): AsyncGenerator<Line[]> {
  const fields = await read(pull, "context", Fields);
  pull.counts.contextFields = fields.length;
  yield toLines(pull, "context", "contextField", fields.map(toField));
  const pathOf = ({ id }: Thing) => `projects/${inPath(id)}/context`;
  await keep(pull, "context fields", projects.map(pathOf));
  for (const project of projects) {
    const own = (await readIfTold(pull, pathOf(project), Fields)) ?? []; // since 8.0
    const lines = own.map((field) => ({ ...toField(field), project: project.id }));
    yield toLines(pull, pathOf(project), "contextField", lines);
  }
}

const Fields = v.array(Thing);

const toField = (field: Thing) => ({
  ...only(field, "name", "description", "stickiness", "sortOrder", "createdAt"),
  legalValues: onlyOfEach(field.legalValues, "value", "description"),
});

async function* segments(pull: Pull): AsyncGenerator<Line[]> {
  const all = await readList(pull, "segments", "segments");
  pull.counts.segments = all.length;
  const keys = ["id", "name", "description", "project", "createdBy", "createdAt"];
  const lines = all
    .filter(({ project }) => isWanted(pull, project))
    .map((segment) => ({ ...only(segment, ...keys), constraints: constraints(segment.constraints) }));
  yield toLines(pull, "segments", "segment", lines);
}

export const constraints = (list: unknown) =>
  onlyOfEach(list, "contextName", "operator", "values", "value", "inverted", "caseInsensitive");

/** Of a built-in one, only whether it is deprecated can be told. */
async function* strategyTypes(pull: Pull): AsyncGenerator<Line[]> {
  const types = await readList(pull, "strategies", "strategies");
  pull.counts.strategies = types.length;
  const lines = types.map((type) =>
    type.editable === false
      ? only(type, "name", "deprecated")
      : {
          ...only(type, "name", "title", "description", "deprecated"),
          parameters: onlyOfEach(type.parameters, "name", "type", "description", "required"),
        },
  );
  yield toLines(pull, "strategies", "strategyType", lines);
}

/** The types of 6.4; a later one's lifetime has no place here. */
const FEATURE_TYPES = ["release", "experiment", "operational", "kill-switch", "permission"];

async function* featureTypes(pull: Pull): AsyncGenerator<Line[]> {
  const types = await readList(pull, "feature-types", "types");
  const known = types.filter(({ id }) => FEATURE_TYPES.includes(String(id)));
  yield toLines(pull, "feature-types", "featureType", onlyOfEach(known, "id", "lifetimeDays"));
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
  const keys = [
    "id",
    "message",
    "enabled",
    "variant",
    "sticky",
    "icon",
    "link",
    "linkText",
    "dialogTitle",
    "dialog",
    "createdAt",
  ];
  yield toLines(pull, "banners", "banner", onlyOfEach(banners, ...keys));
}
