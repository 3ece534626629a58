import type { Before, Change, Outcome } from "./changes.ts";
import type { Line } from "./dataset.ts";
import { mayInProject } from "./permissions.ts";

type Many = Change & { kind: "markStale" | "revive" | "remove" };

/** The effect on several flags of a project; flags of another project are refused, unknown names ignored. */
export function changeMany({ lines, caller }: Before, change: Many): Outcome {
  const { project, features } = change;
  const permission = change.kind === "remove" ? "DELETE_FEATURE" : "UPDATE_FEATURE";
  if (!mayInProject(lines, caller, permission, project)) return { status: 403 };
  const place = lines.find((line) => line.kind === "project" && line.id === project);
  if (change.kind === "revive" && (!place || place.archivedAt !== undefined)) return { status: 404 };
  const named = [...new Set(features)].flatMap(
    (name) => lines.find((line) => line.kind === "feature" && line.name === name) ?? [],
  );
  if (named.some((feature) => feature.project !== project)) return { status: 403 };
  const affected = named.filter((feature) => isAffected(change, feature));
  return {
    status: change.kind === "markStale" ? 202 : 200,
    events: affected.map((feature) => ({
      type: typeOf(change),
      project,
      featureName: feature.name,
      ...(change.kind === "remove" && { preData: asWas(feature) }),
    })),
    lines: lines.flatMap((line) => (affected.includes(line) ? become(change, line) : line)),
  };
}

const isAffected = (change: Many, { stale = false, archivedAt }: Line) =>
  change.kind === "markStale" ? stale !== change.stale : archivedAt !== undefined;

function typeOf(change: Many) {
  if (change.kind === "markStale") return change.stale ? "feature-stale-on" : "feature-stale-off";
  return change.kind === "revive" ? "feature-revived" : "feature-deleted";
}

/** A revived flag is disabled in all environments; the tags of a removed one stay. */
function become(change: Many, feature: Line): Line[] {
  if (change.kind === "remove") return (feature.tags ?? []).map((tag: Line) => ({ kind: "tag", ...tag }));
  if (change.kind === "markStale") return [{ ...feature, stale: change.stale }];
  const { archivedAt: _, ...revived } = feature;
  return [
    { ...revived, environments: feature.environments.map((one: Line) => ({ ...one, enabled: false })) },
  ];
}

/** The last state of a deleted flag. */
function asWas(feature: Line) {
  const {
    name,
    type = "release",
    description = null,
    project,
    stale = false,
    impressionData = false,
  } = feature;
  const { createdAt, archivedAt, environments } = feature;
  const seen: string[] = environments.flatMap(({ lastSeenAt }: Line) => lastSeenAt ?? []);
  const lastSeenAt = seen.toSorted().at(-1) ?? null;
  const shown = { name, type, description, project, stale, impressionData, createdAt };
  return { ...shown, lastSeenAt, archivedAt, archived: true };
}
