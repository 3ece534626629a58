import type { Event } from "../events/schema.ts";
import { differences } from "../flags-as-text/step.ts";
import { without } from "../lib/lists.ts";

/** What became different in a flag; without a value, there was none, or the log doesn't say it. */
export interface FlagChange {
  /** Such as `environments.production.strategies.ID.constraints`. */
  path: string;
  from?: unknown;
  to?: unknown;
}

/** What events set that have no more to say. */
const SET: Readonly<Record<string, readonly [key: string, to: boolean]>> = {
  "feature-environment-enabled": ["enabled", true],
  "feature-environment-disabled": ["enabled", false],
  "feature-stale-on": ["stale", true],
  "feature-stale-off": ["stale", false],
  "feature-archived": ["archived", true],
  "feature-revived": ["archived", false],
  "feature-completed": ["completed", true],
  "feature-uncompleted": ["completed", false],
};

/** What others are about, by how their types begin. */
const PARTS: ReadonlyArray<readonly [type: RegExp, key: string]> = [
  [/^feature-(un)?tagged$/, "tags"],
  [/^feature-link-/, "links"],
  [/^feature-dependenc/, "dependencies"],
];

/** What an event of a flag changed, key by key; nothing, if it only comes with another. */
export function changesIn({ type, environment, data, preData }: Event): FlagChange[] {
  const { undoes: _, ...to } = data ?? {};
  const from = preData ?? {};
  const at = (path: string) => (environment === null ? path : `environments.${environment}.${path}`);
  const set = SET[type];
  const part = PARTS.find(([pattern]) => pattern.test(type))?.[1];
  if (set) return [{ path: at(set[0]), from: !set[1], to: set[1] }];
  if (part !== undefined)
    return [
      /(untagged|removed)$/.test(type)
        ? { path: part, from: preData ?? to }
        : { path: part, from: preData, to },
    ];
  if (type === "feature-project-change") return [{ path: "project", from: to.oldProject, to: to.newProject }];
  if (type === "strategy-order-changed")
    return [{ path: at("strategies"), from: from.strategyIds, to: to.strategyIds }];
  if (type === "feature-strategy-update") return changedKeys(at(`strategies.${to.id}.`), from, to);
  if (type === "feature-strategy-add") return [{ path: at(`strategies.${to.id}`), to }];
  if (type === "feature-strategy-remove") return [{ path: at(`strategies.${from.id}`), from }];
  return /^feature-(metadata|environment-variants|variants)-updated$/.test(type)
    ? changedKeys(at(""), from, to)
    : [];
}

/** Constraints one by one, since each has somebody who asked for it. */
const changedKeys = (before: string, from: object, to: object): FlagChange[] =>
  Object.entries(differences(from, to)).flatMap(([key, values]) => {
    const path = before + key;
    if (key !== "constraints" || !Array.isArray(values.from) || !Array.isArray(values.to))
      return [{ path, ...values }];
    const { from, to } = values as { from: unknown[]; to: unknown[] };
    return [
      ...without(from, to).map((one) => ({ path, from: one })),
      ...without(to, from).map((one) => ({ path, to: one })),
    ];
  });
