import { isDeepStrictEqual } from "node:util";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { addDependencyOperation, removeDependenciesOperation } from "../flags/dependencies.ts";
import { createFeatureLink, deleteFeatureLink } from "../flags/feature-links.ts";
import { updateTags } from "../flags/feature-tags.ts";
import { feature } from "../flags/features-dataset.ts";
import { replaceEnvironmentVariants } from "../flags/variants.ts";
import { archiving } from "../flags-as-text/plan.ts";
import { type Change, changeFor, type Step } from "../flags-as-text/step.ts";
import { type Performing, performIn } from "../http/perform.ts";
import { without } from "../lib/lists.ts";
import { allOf, type Leave, type Of } from "./outgoing-lines.ts";

/*
 * What belongs to a flag besides what its text says: tags, variants of its own, links, a parent, and the archive.
 */

type Flag = Of<typeof feature>;

/** A flag on both sides. */
interface Pair {
  ours: Flag;
  theirs: Flag;
}

interface Sides {
  ours: Database;
  theirs: Database;
  leave: Leave;
}

/** For the flags of these projects, which are there by now. */
export function* changesOfParts(sides: Sides, projects: readonly string[]): Generator<Change> {
  const others = new Map([...allOf(feature, sides.theirs)].map((flag) => [flag.name, flag]));
  const pairs: Pair[] = [];
  for (const ours of allOf(feature, sides.ours)) {
    const theirs = others.get(ours.name);
    if (!projects.includes(ours.project) || theirs?.project !== ours.project) continue;
    if (ours.archivedAt === null) pairs.push({ ours, theirs });
    else if (theirs.archivedAt === null) yield archiving(ours);
  }
  for (const pair of pairs) yield* changesOfPair(sides, pair);
}

function* changesOfPair(sides: Sides, pair: Pair): Generator<Change> {
  yield* changeOfTags(pair);
  yield* changesOfVariants(pair);
  yield* changesOfLinks(pair);
  yield* changesOfDependencies(sides, pair);
}

const paramsOf = ({ name, project }: Flag) => ({ projectId: project, featureName: name });

/** What changes of a list that is part of a flag. */
const stepFor = (kind: Step["kind"], { name }: Flag, from: unknown, to: unknown): Step => ({
  ...{ action: "change", kind, name },
  changes: { [kind]: { from, to } },
});

function* changeOfTags({ ours, theirs }: Pair): Generator<Change> {
  const [addedTags, removedTags] = [without(ours.tags, theirs.tags), without(theirs.tags, ours.tags)];
  if (addedTags.length + removedTags.length === 0) return;
  const step = stepFor("tags", ours, theirs.tags, ours.tags);
  yield changeFor(step, updateTags, { featureName: ours.name }, { addedTags, removedTags });
}

function* changesOfVariants({ ours, theirs }: Pair): Generator<Change> {
  for (const { name: environment, variants } of ours.environments) {
    const current = theirs.environments.find(({ name }) => name === environment)?.variants ?? [];
    if (isDeepStrictEqual(variants, current)) continue;
    const step = { ...stepFor("variants", ours, current, variants), environment };
    yield changeFor(step, replaceEnvironmentVariants, { ...paramsOf(ours), environment }, variants);
  }
}

function* changesOfLinks({ ours, theirs }: Pair): Generator<Change> {
  const shown = (links: Flag["links"]) =>
    (links ?? []).map(({ url, title }) => ({ url, title: title ?? null }));
  const [wanted, current] = [shown(ours.links), shown(theirs.links)];
  if (isDeepStrictEqual(wanted, current)) return;
  const act = (tx: Performing) => {
    for (const [index, link] of current.entries())
      if (without([link], wanted).length > 0)
        performIn(tx, deleteFeatureLink, { ...paramsOf(ours), linkId: theirs.links![index]!.id! });
    for (const link of without(wanted, current)) performIn(tx, createFeatureLink, paramsOf(ours), link);
  };
  yield { where: `links ${ours.name}`, steps: [stepFor("links", ours, current, wanted)], act };
}

/** A server gives a flag one parent at most. */
function* changesOfDependencies({ theirs: db, leave }: Sides, { ours, theirs }: Pair): Generator<Change> {
  const { name, dependencies: wanted } = ours;
  if (isDeepStrictEqual(wanted, theirs.dependencies)) return;
  const [dependency, ...others] = wanted;
  const isMissing = dependency !== undefined && !isKnown(db, "feature", dependency.feature);
  if (others.length > 0) return leave("dependency", "a flag can have one parent there", name);
  if (isMissing) return leave("dependency", "the parent is not there", name);
  const params = { projectId: ours.project, child: name };
  const operation = dependency ? addDependencyOperation : removeDependenciesOperation;
  yield changeFor(stepFor("dependencies", ours, theirs.dependencies, wanted), operation, params, dependency);
}
