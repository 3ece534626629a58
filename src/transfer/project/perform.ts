import type { Tx } from "../../events/write.ts";
import { checked } from "../../http/incoming.ts";
import type { Contract, Door, Operation, Request } from "../../http/operation.ts";

/**
 * Performs an operation of the API in a transaction that is open: by the same rules, with the same events.
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
  // All of it is synchronous, so what the door opens is this transaction, and nothing is waited for.
  const sameTransaction = (change: (tx: Tx) => unknown) => change(tx);
  void operation.handle(request as Request<Contract>, sameTransaction as Door);
}
