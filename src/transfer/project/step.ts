import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../../events/write.ts";

/** What something was and is to be, by property. */
export type Differences = Record<string, { from: unknown; to: unknown }>;

/** One difference between a project and a text, for those who read the plan. */
export interface Step {
  action: "add" | "change" | "remove";
  kind: "segment" | "flag" | "strategy" | "order" | "state";
  /** Of the segment or the flag. */
  name: string;
  environment?: string;
  /** Its title or its type. */
  strategy?: string;
  changes?: Differences;
  note?: string;
}

/** What makes a difference go away. */
export interface Action {
  /** Begins what is told where it fails. */
  where: string;
  act(tx: Tx): void;
}

/** Where a thing is not as it is wanted; what nothing is said of is as it should be. */
export const differences = (had: object, wanted: object): Differences =>
  Object.fromEntries(
    Object.entries(wanted)
      .map(([key, to]) => [key, { from: had[key as keyof typeof had], to }] as const)
      .filter(([, { from, to }]) => to !== undefined && !isDeepStrictEqual(from, to)),
  );
