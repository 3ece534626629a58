import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../../events/write.ts";

/** The current and the wanted value of each property. */
export type Differences = Record<string, { from: unknown; to: unknown }>;

/** One difference between a project and a text, for people who read the plan. */
export interface Step {
  action: "add" | "change" | "remove";
  kind: "segment" | "flag" | "strategy" | "order" | "state";
  /** The name of the segment or the flag. */
  name: string;
  environment?: string;
  /** Its title or its type. */
  strategy?: string;
  changes?: Differences;
  note?: string;
}

/** A change that removes a difference. */
export interface Action {
  /** What it changes, as the beginning of errors. */
  where: string;
  act(tx: Tx): void;
}

/** The properties that are not as wanted; those not mentioned are left alone. */
export const differences = (current: object, wanted: object): Differences =>
  Object.fromEntries(
    Object.entries(wanted)
      .map(([key, to]) => [key, { from: current[key as keyof typeof current], to }] as const)
      .filter(([, { from, to }]) => to !== undefined && !isDeepStrictEqual(from, to)),
  );
