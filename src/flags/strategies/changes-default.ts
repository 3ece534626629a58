import { command, type Database, query } from "../../db/statement.ts";
import type { CreateStrategy, DefaultStrategy, Strategy } from "../../evaluation/strategy.ts";
import type { Tx } from "../../events/write.ts";
import { addStrategy, distinct, type NewStrategy, type Place } from "./changes.ts";
import { requireSegments } from "./rules.ts";

/** An environment of a project. */
type ProjectPlace = Pick<Place, "project" | "environment">;

/** A project's default strategy for flags without any, as JSON, and its default stickiness. */
const defaultsOf = query<ProjectPlace, { strategy: string | null; stickiness: string }>(`
  SELECT default_strategy AS strategy, default_stickiness AS stickiness
  FROM project_environments JOIN projects ON projects.id = project
  WHERE project = :project AND environment = :environment`);

const setDefault = command<ProjectPlace & { strategy: string }>(`
  UPDATE project_environments SET default_strategy = :strategy
  WHERE project = :project AND environment = :environment`);

/** Adds a validated strategy, with defaults filled in. */
export const createStrategy = (tx: Tx, place: Place, strategy: CreateStrategy): Strategy =>
  addStrategy(tx, place, withDefaults(tx.db, place, strategy));

/**
 * Adds the project's default strategy to a flag that has none; on for everyone if the project has not set one.
 * @throws ApiError `NotFoundError` if it names a segment that has since been deleted
 */
export function addDefaultStrategy(tx: Tx, place: Place) {
  const own = defaultStrategy(tx.db, place) ?? { name: "flexibleRollout" };
  requireSegments(tx, place.project, own.segments ?? []);
  // The default strategy can't name the flag.
  const groupId = own.parameters?.groupId || place.feature;
  createStrategy(tx, place, { ...own, parameters: { ...own.parameters, groupId } });
}

/** Sets a project's default strategy in an environment; it has been validated. */
export function setDefaultStrategy(tx: Tx, place: ProjectPlace, strategy: DefaultStrategy) {
  const preData = defaultStrategy(tx.db, place);
  const { project, environment } = place;
  setDefault(tx).run({ project, environment, strategy: JSON.stringify(strategy) });
  tx.record({ type: "default-strategy-updated", project, environment, data: strategy, preData });
}

function defaultStrategy(db: Database, { project, environment }: ProjectPlace): DefaultStrategy | null {
  const { strategy } = defaultsOf(db).get({ project, environment })!;
  return strategy === null ? null : JSON.parse(strategy);
}

/** The strategy with defaults filled in. */
export const withDefaults = (db: Database, place: Place, strategy: CreateStrategy): NewStrategy => ({
  name: strategy.name,
  title: strategy.title ?? null,
  disabled: strategy.disabled ?? false,
  sortOrder: strategy.sortOrder,
  constraints: strategy.constraints ?? [],
  variants: strategy.variants ?? [],
  segments: distinct(strategy.segments ?? []),
  parameters:
    strategy.name === "flexibleRollout"
      ? rolloutParameters(db, place, strategy)
      : (strategy.parameters ?? {}),
});

/** The default parameters: on for everyone. */
function rolloutParameters(db: Database, { project, environment, feature }: Place, strategy: CreateStrategy) {
  const { rollout = "100", groupId = feature, stickiness, ...rest } = strategy.parameters ?? {};
  const defaultStickiness = () => defaultsOf(db).get({ project, environment })!.stickiness;
  return { groupId, rollout, stickiness: stickiness || defaultStickiness(), ...rest };
}
