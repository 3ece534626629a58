import type { Actor } from "../access/actor.ts";
import { requirePermission, requireSeen, toClaim } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import type { Tx } from "../events/write.ts";
import { ApiError } from "../lib/api-error.ts";
import { checked } from "./checked-input.ts";
import { fromConstraint } from "./failure.ts";
import type { Commit, Contract, Operation, Request } from "./operation.ts";

/** A transaction in which operations are performed, and who is told of each. */
export interface Performing extends Tx {
  onPerformed?: ((request: PerformedRequest) => void) | undefined;
}

/** A request of the API, as data. */
export interface OperationRequest {
  operation: Operation;
  params: Record<string, string>;
  body?: unknown;
  query?: Record<string, string>;
}

/** One that has been answered: the same may be sent to another server. */
export interface PerformedRequest extends OperationRequest {
  result: unknown;
}

/** @throws ApiError unless the actor may send the request */
export function requireAllowed(db: Database, actor: Actor, { operation, params }: OperationRequest) {
  const claim = toClaim(db, actor, operation.permission, params);
  requirePermission(db, actor, claim);
  requireSeen(claim);
}

/**
 * Runs an operation of the API inside an open transaction, with the same rules and events; who may is for the caller to
 * check.
 * @throws ApiError as the operation does
 */
export function performIn(
  tx: Performing,
  operation: Operation,
  params: Record<string, string>,
  body?: unknown,
  query: Record<string, string> = {},
): void {
  const { db, actor } = tx;
  const request = {
    db,
    actor,
    params: checked(operation.params, params, "path"),
    query: checked(operation.query, query, "query"),
    body: checked(operation.body, body, "body"),
  };
  // Everything is synchronous, so the operation can use this transaction as its own, and nothing needs to be awaited.
  const sameTransaction = (change: (tx: Tx) => unknown) => change(tx);
  const result = operation.handle(request as Request<Contract>, sameTransaction as Commit);
  tx.onPerformed?.({ operation, params, body, query, result });
}

/**
 * Runs what somebody else has asked for: who is here now is told why it is refused in other words, but for what they may
 * not do, and for conflicts.
 */
export function rewording(act: () => void, inOtherWords: (message: string) => ApiError) {
  try {
    act();
  } catch (thrown) {
    const error = fromConstraint(thrown) ?? thrown;
    if (!(error instanceof ApiError) || ["NoAccessError", "ConflictError"].includes(error.name)) throw error;
    throw inOtherWords(error.message);
  }
}
