import { command, type Database, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { addStrategy, distinct, type NewStrategy, type Place } from "./changes.ts";
import { requireSegments } from "./rules.ts";
import type { CreateStrategy, DefaultStrategy, Strategy } from "./schema.ts";

/** An environment of a project. */
type ProjectPlace = Pick<Place, "project" | "environment">;

/** What a project gives to a flag without strategies, as JSON, and what keeps its flags' answers the same. */
const defaultsOf = query<ProjectPlace, { strategy: string | null; stickiness: string }>(`
  SELECT default_strategy AS strategy, default_stickiness AS stickiness
  FROM project_environments JOIN projects ON projects.id = project
  WHERE project = :project AND environment = :environment`);

const setDefault = command<ProjectPlace & { strategy: string }>(`
  UPDATE project_environments SET default_strategy = :strategy
  WHERE project = :project AND environment = :environment`);

/** Adds a strategy of which all that is said has been checked; the rest is filled in. */
export const createStrategy = (tx: Tx, place: Place, given: CreateStrategy): Strategy =>
  addStrategy(tx, place, filledIn(tx.db, place, given));

/**
 * Adds what the project gives to flags without strategies: on for everyone where it says nothing.
 * @throws ApiError `NotFoundError` where it names a segment that has gone since
 */
export function addDefaultStrategy(tx: Tx, place: Place) {
  const own = defaultStrategy(tx.db, place) ?? { name: "flexibleRollout" };
  requireSegments(tx.db, place.project, own.segments ?? []);
  // Whoever sets it knows no flag to name.
  const groupId = own.parameters?.groupId || place.feature;
  createStrategy(tx, place, { ...own, parameters: { ...own.parameters, groupId } });
}

/** Sets what the project gives to flags without strategies; all that is said of it has been checked. */
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

/** A strategy of which all that is not said is filled in. */
export const filledIn = (db: Database, place: Place, given: CreateStrategy): NewStrategy => ({
  name: given.name,
  title: given.title ?? null,
  disabled: given.disabled ?? false,
  sortOrder: given.sortOrder,
  constraints: given.constraints ?? [],
  variants: given.variants ?? [],
  segments: distinct(given.segments ?? []),
  parameters: given.name === "flexibleRollout" ? rolledOut(db, place, given) : (given.parameters ?? {}),
});

/** Without more said it is on for everyone. */
function rolledOut(db: Database, { project, environment, feature }: Place, given: CreateStrategy) {
  const { rollout = "100", groupId = feature, stickiness, ...rest } = given.parameters ?? {};
  const usual = () => defaultsOf(db).get({ project, environment })!.stickiness;
  return { groupId, rollout, stickiness: stickiness || usual(), ...rest };
}
