import { CLI } from "../../access/actor.ts";
import { DataError } from "../../db/error.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { type Tx, write } from "../../events/write.ts";
import { fromConstraint } from "../../http/constraint.ts";
import { ApiError } from "../../lib/api-error.ts";
import { planFor } from "./plan.ts";
import type { ProjectText } from "./schema.ts";
import type { Action, Step } from "./step.ts";

interface Options {
  /** Removes flags and segments of the project that are not in the text. */
  prunes: boolean;
}

/** The differences between a project and a text. @throws DataError if they can't be compared */
export const compareProject = (db: Database, text: ProjectText, options: Options): Step[] =>
  snapshot(db, () => rewordErrors("the text", () => planFor(db, text, options)).steps);

/**
 * Changes a project to match a text, all or nothing.
 * @param isDryRun rolls everything back
 * @returns the steps taken
 * @throws DataError if it is not possible
 */
export function applyProject(
  db: Database,
  text: ProjectText,
  { isDryRun, ...options }: Options & { isDryRun: boolean },
): Step[] {
  let steps: Step[] = [];
  try {
    write(db, CLI, (tx) => {
      const plan = rewordErrors("the text", () => planFor(tx.db, text, options));
      steps = plan.steps;
      for (const action of plan.actions) perform(tx, action);
      if (isDryRun) throw ROLLED_BACK;
    });
  } catch (error) {
    if (error !== ROLLED_BACK) throw error;
  }
  return steps;
}

const ROLLED_BACK = new Error("A dry run");

const perform = (tx: Tx, { where, act }: Action) => rewordErrors(where, () => act(tx));

/** Rewords API errors about a request body, since the text has none. */
function rewordErrors<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    const error = fromConstraint(thrown) ?? thrown;
    if (!(error instanceof ApiError)) throw error;
    throw new DataError(`${where}: ${error.message.replace(/^body[.:] ?/, "")}`);
  }
}
