import type { Before, Change, Outcome } from "./changes.ts";
import type { Line } from "./dataset.ts";
import { isVisible, mayInProject } from "./permissions.ts";

const featureNamed = (lines: Line[], name: string) =>
  lines.find((line) => line.kind === "feature" && line.name === name);

/** Tags a flag, or untags it; recorded even if the flag has, or does not have, the tag. */
export function changeTag({ lines, caller }: Before, change: Change & { kind: "tag" }): Outcome {
  const { project, type, value, isAdded } = change;
  if (!mayInProject(lines, caller, "UPDATE_FEATURE", project)) return { status: 403 };
  const feature = featureNamed(lines, change.feature);
  if (feature?.project !== project) return { status: 404 };
  const isTagType = lines.some((line) => line.kind === "tagType" && line.name === type);
  if (isAdded && !isTagType) return { status: 400 };
  const tag = { type, value };
  const tags: Line[] = feature.tags ?? [];
  const others = tags.filter((one) => one.type !== type || one.value !== value);
  const isNew = isAdded && !lines.some((line) => hasTag(line, tag));
  const where = { project, featureName: feature.name };
  const changed = { ...feature, tags: isAdded ? [...others, tag] : others };
  return {
    status: 200,
    events: [
      ...(isNew ? [{ type: "tag-created", data: tag }] : []),
      isAdded
        ? { type: "feature-tagged", data: tag, ...where }
        : { type: "feature-untagged", preData: tag, ...where },
    ],
    lines: [
      ...lines.map((line) => (line === feature ? changed : line)),
      ...(isNew ? [{ kind: "tag", ...tag }] : []),
    ],
  };
}

/** A tag exists once any flag has had it. */
const hasTag = (line: Line, { type, value }: Line) =>
  line.kind === "tag"
    ? line.type === type && line.value === value
    : line.kind === "feature" &&
      (line.tags ?? []).some((one: Line) => one.type === type && one.value === value);

/** The caller's own; callers that are not users have none. */
export function favorite({ lines, caller }: Before, change: Change & { kind: "favorite" }): Outcome {
  if (!isVisible(lines, caller, change.project)) return { status: 403 };
  const feature = featureNamed(lines, change.feature);
  if (feature?.project !== change.project) return { status: 404 };
  if (caller.userId === null) return { status: 403 };
  const others = (feature.favoritedBy ?? []).filter((id: number) => id !== caller.userId);
  const favoritedBy = change.isOn ? [...others, caller.userId] : others;
  const type = change.isOn ? "feature-favorited" : "feature-unfavorited";
  const isPrivate = lines.some(
    ({ kind, id, mode }) => kind === "project" && id === change.project && mode === "private",
  );
  const project = isPrivate ? change.project : null;
  return {
    status: 200,
    events: [{ type, project, featureName: feature.name, data: { feature: feature.name } }],
    lines: lines.map((line) => (line === feature ? { ...feature, favoritedBy } : line)),
  };
}
