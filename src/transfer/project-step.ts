import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../events/write.ts";
import { checked } from "../http/incoming.ts";
import type { Commit, Contract, Operation, Request } from "../http/operation.ts";

/** A change that removes differences between a project and a text. */
export interface Change {
  /** What it changes, as the beginning of errors. */
  where: string;
  /** The differences; none if it only keeps what another change might have ended. */
  steps: Step[];
  act(tx: Performing): void;
}

/** A transaction in which operations are performed, and who is told of each. */
export interface Performing extends Tx {
  onPerformed?(request: PerformedRequest): void;
}

/** A request that has been answered: the same may be sent to another server. */
export interface PerformedRequest {
  operation: Operation;
  params: Record<string, string>;
  body: unknown;
  result: unknown;
}

/** A change that removes one difference of a flag or a segment. */
export const changeFor = (step: Step, act: Change["act"]): Change => ({
  where: `${step.kind} ${step.name}`,
  steps: [step],
  act,
});

/**
 * Runs an operation of the API inside an open transaction, with the same rules and events.
 * @throws ApiError as the operation does
 */
export function performIn(
  tx: Performing,
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
  const result = operation.handle(request as Request<Contract>, sameTransaction as Commit);
  tx.onPerformed?.({ operation, params, body, result });
}

/** The current and the wanted value of each property. */
export type Differences = Record<string, { from: unknown; to: unknown }>;

/** Of other things, which only a whole server has, and of those of a flag that a text leaves out. */
type OfServer =
  | "tag type"
  | "context field"
  | "strategy type"
  | "project"
  | "variants"
  | "tags"
  | "dependencies"
  | "links";

/** One difference between a project and a text, for people who read the plan. */
export interface Step {
  action: "add" | "change" | "remove";
  kind: "segment" | "flag" | "strategy" | "order" | "state" | OfServer;
  /** The name of the segment, the flag, or whatever it is. */
  name: string;
  environment?: string;
  /** Its title or its type. */
  strategy?: string;
  changes?: Differences;
  note?: string;
}

/** The properties that are not as wanted; those not mentioned are left alone. */
export const differences = (current: object, wanted: object): Differences =>
  Object.fromEntries(
    Object.entries(wanted)
      .map(([key, to]) => [key, { from: current[key as keyof typeof current], to }] as const)
      .filter(([, { from, to }]) => to !== undefined && !isDeepStrictEqual(from, to)),
  );
