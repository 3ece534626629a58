import type { Tx } from "../../events/write.ts";
import { checked } from "../../http/incoming.ts";
import type { Contract, Door, Operation, Request } from "../../http/operation.ts";

/**
 * Runs an operation of the API inside an open transaction, with the same rules and events.
 * @throws ApiError as the operation does
 */
export function performIn(
  tx: Tx,
  operation: Operation,
  params: Record<string, string>,
  body?: unknown,
): void {
  const { db, actor } = tx;
  const request = {
    db,
    actor,
    params: checked(operation.params, params, "path"),
    query: checked(operation.query, {}, "query"),
    body: checked(operation.body, body, "body"),
  };
  // Everything is synchronous, so the operation can use this transaction as its own, and nothing needs to be awaited.
  const sameTransaction = (change: (tx: Tx) => unknown) => change(tx);
  void operation.handle(request as Request<Contract>, sameTransaction as Door);
}
