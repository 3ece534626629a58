import { isDeepStrictEqual } from "node:util";
import type { Operation } from "../http/operation.ts";
import { type Performing, performIn } from "../http/perform.ts";
import { printable } from "../lib/text.ts";

/** A change that removes differences between a project and a text. */
export interface Change {
  /** What it changes, as the beginning of errors. */
  where: string;
  /** The differences; none if it only keeps what another change might have ended. */
  steps: Step[];
  act(tx: Performing): void;
}

/** A request of the API that removes one difference. */
export const changeFor = (
  step: Step,
  operation: Operation,
  params: Record<string, string>,
  body?: unknown,
): Change => ({
  where: `${step.kind} ${step.name}`,
  steps: [step],
  act: (tx) => performIn(tx, operation, params, body),
});

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

const SIGNS = { add: "+", change: "~", remove: "-" } as const;

/** A difference in words. */
export function toLine({ action, kind, name, environment, strategy, changes, note }: Step) {
  const subject = environment === undefined ? `${kind} ${name}` : `flag ${name}, ${environment}`;
  const part =
    { strategy: `: strategy ${strategy}`, order: ": the order of the strategies" }[kind as string] ?? "";
  const details = [changes && describeChanges(changes), note && `(${note})`].filter(Boolean).join(" ");
  return printable(`${SIGNS[action]} ${subject}${part}${details && `: ${details}`}`);
}

const describeChanges = (changes: Differences) =>
  Object.entries(changes)
    .map(([key, values]) => `${key} ${valuesInWords(values)}`)
    .join(", ");

/** What a value was, and what it is, each in part if it is long. */
export const valuesInWords = ({ from, to }: { from?: unknown; to?: unknown }) =>
  `${shorten(from)} → ${shorten(to)}`;

const shorten = (value: unknown) => {
  const json = JSON.stringify(value) ?? "none";
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
};
