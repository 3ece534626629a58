import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { evaluatorAfresh } from "../applications/client-evaluators.ts";
import {
  AdvancedPlaygroundRequest,
  AdvancedPlaygroundResponse,
  combinations,
  trialsWith,
} from "../applications/playground.ts";
import type { Database } from "../db/database.ts";
import { actingAs, type Tx, writeSoon } from "../events/write.ts";
import { POST } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { RawJson } from "../lib/raw-json.ts";
import { wholeNumber } from "../lib/validation.ts";
import { performUnchecked } from "./approval.ts";
import { findRow, type Row } from "./store.ts";

/** What carries a result out of a transaction that is rolled back. */
class Rehearsed extends Error {
  readonly result: string;

  constructor(result: string) {
    super("A rehearsal");
    this.result = result;
  }
}

export const tryChangeRequest = POST({
  id: "getChangeRequestPlayground",
  summary: "Evaluate the flags of a change request's project as if it were applied",
  tag: "Playground",
  path: "/api/admin/playground/change-request/:id",
  permission: null,
  params: v.object({ id: wholeNumber(1) }),
  wrongParamsAre404: true,
  body: v.pick(AdvancedPlaygroundRequest, ["context"]),
  isUncached: true,
  isHeavy: true,
  errors: ["NotFoundError", "ConflictError", "RateLimitError"],
  response: AdvancedPlaygroundResponse,
  example: { context: { appName: "checkout", userId: "7", properties: { plan: "gold" } } },
  exampleParams: { id: "2" },
}).run(async ({ db, actor, params: { id }, body }) => {
  const row = requireTriable(db, actor, id);
  const { project, environment } = row;
  const input = { ...body, environments: [environment], projects: [project] };
  const text = await rehearse(db, actor, (tx) => {
    performUnchecked(actingAs(tx, { ...actor, isAdmin: true }), row);
    const trials = () => trialsWith(tx.db, evaluatorAfresh(tx.db, project, environment), environment);
    return [...combinations(input, trials)()].join("");
  });
  return new RawJson<v.InferOutput<typeof AdvancedPlaygroundResponse>>(text);
});

/** @throws ApiError `NotFoundError`; `ConflictError` unless it may still be applied, and is no draft */
function requireTriable(db: Database, actor: Actor, id: number): Row {
  const row = findRow(db, id);
  const isVisible = row && row.state !== "Draft" && !hiddenProjects(db, actor).includes(row.project);
  const { state } = found(isVisible ? row : undefined, `change request ${id}`);
  if (["In review", "Approved", "Scheduled"].includes(state)) return row!;
  throw new ApiError("ConflictError", `Change request #${id} is ${state}: there is nothing to try`);
}

/** Makes changes that nobody else sees, and that are rolled back. */
async function rehearse(db: Database, actor: Actor, act: (tx: Tx) => string): Promise<string> {
  try {
    return await writeSoon(db, actor, (tx) => {
      throw new Rehearsed(act(tx));
    });
  } catch (thrown) {
    if (thrown instanceof Rehearsed) return thrown.result;
    throw thrown;
  }
}
