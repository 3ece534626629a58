import { CLI } from "../../auth/actor.ts";
import { DataError } from "../../db/error.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { type Tx, write } from "../../events/write.ts";
import { fromConstraint } from "../../http/constraint.ts";
import { ApiError } from "../../http/error.ts";
import { planFor } from "./plan.ts";
import type { ProjectText } from "./schema.ts";
import type { Action, Step } from "./step.ts";

interface Options {
  /** Flags and segments of the project that the text does not have are to go. */
  prunes: boolean;
}

/** Where a project is not as a text says. @throws DataError for what can't be compared */
export const compareProject = (db: Database, text: ProjectText, options: Options): Step[] =>
  snapshot(db, () => inWordsOfText("the text", () => planFor(db, text, options)).steps);

/**
 * Makes a project as a text says, all of it or nothing.
 * @param isTrial takes everything back
 * @returns what was done
 * @throws DataError for what can't be
 */
export function applyProject(
  db: Database,
  text: ProjectText,
  { isTrial, ...options }: Options & { isTrial: boolean },
): Step[] {
  let steps: Step[] = [];
  try {
    write(db, CLI, (tx) => {
      const plan = inWordsOfText("the text", () => planFor(tx.db, text, options));
      steps = plan.steps;
      for (const action of plan.actions) perform(tx, action);
      if (isTrial) throw TAKEN_BACK;
    });
  } catch (error) {
    if (error !== TAKEN_BACK) throw error;
  }
  return steps;
}

const TAKEN_BACK = new Error("A trial");

const perform = (tx: Tx, { where, act }: Action) => inWordsOfText(where, () => act(tx));

/** What the API says of a request is told of the text, which has no body. */
function inWordsOfText<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    const error = fromConstraint(thrown) ?? thrown;
    if (!(error instanceof ApiError)) throw error;
    throw new DataError(`${where}: ${error.message.replace(/^body[.:] ?/, "")}`);
  }
}
