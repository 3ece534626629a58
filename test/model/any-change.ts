import fc from "fast-check";
import { exampleOf } from "../../src/server/examples.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { KINDS } from "../../src/transfer/all-kinds.ts";
import type { Line } from "./dataset.ts";

/*
 * Every operation that changes something, by its example; what the example refers to is chosen from what exists.
 */

export interface AnyChange {
  /** The operation's id. */
  operation: string;
  /** For each reference in turn, the index among what exists; null to keep the example's own. */
  picks: Array<number | null>;
}

/** These wait for another server, or are reported by applications and stored later. */
const WITHOUT = ["testAddon", "redeliverAddonEvent"];
const REPORTS = ["registerClientApplication", "registerClientMetrics", "registerFrontendMetrics"];

const changing = OPERATIONS.filter(
  ({ id, changes }) => (changes && !WITHOUT.includes(id)) || REPORTS.includes(id),
);

/** Deletions are what later lines may miss. */
const removing = changing.filter(
  ({ method, id }) => method === "DELETE" || /^(archive|delete|remove)/.test(id),
);

export const anyChange: fc.Arbitrary<AnyChange> = fc.record({
  operation: fc.constantFrom(...[...changing, ...removing, ...removing].map(({ id }) => id)),
  picks: fc.array(fc.option(fc.nat(20), { nil: null, freq: 4 }), { minLength: 6, maxLength: 6 }),
});

type Reference = [kind: string, key: string];

const PROJECT: Reference = ["project", "id"];
const FEATURE: Reference = ["feature", "name"];
const ENVIRONMENT: Reference = ["environment", "name"];
const USER: Reference = ["user", "id"];
const ROLE: Reference = ["role", "id"];
const GROUP: Reference = ["group", "id"];
const SEGMENT: Reference = ["segment", "id"];

/** What a key of a path or a body refers to; for `id` and `name` the part of the path before it decides. */
const REFERENCES: Readonly<Record<string, Reference>> = {
  ...{ projectId: PROJECT, project: PROJECT, projects: PROJECT, newProjectId: PROJECT },
  ...{ featureName: FEATURE, feature: FEATURE, features: FEATURE, child: FEATURE, parent: FEATURE },
  ...{ environment: ENVIRONMENT, environments: ENVIRONMENT, environmentId: ENVIRONMENT },
  ...{ userId: USER, users: USER, ids: USER, "user-admin": USER, "service-account": USER },
  ...{ roleId: ROLE, rootRole: ROLE, roles: ROLE, groupId: GROUP, groups: GROUP },
  ...{ segmentIds: SEGMENT, segments: SEGMENT, contextField: ["contextField", "name"] },
  ...{ contextName: ["contextField", "name"], strategyName: ["strategyType", "name"] },
  ...{ strategies: ["strategyType", "name"], "feature-types": ["featureType", "id"] },
  ...{ "tag-types": ["tagType", "name"], tags: ["tagType", "name"], appName: ["application", "name"] },
  addons: ["integration", "id"],
};

/** Of others, the table has the name that they have in paths. */
const NUMBERED = new Map(
  KINDS.filter(({ isNumbered }) => isNumbered).map(({ name, tables }): [string, Reference] => [
    tables[0]!.replaceAll("_", "-"),
    [name, "id"],
  ]),
);

/** The request of the change, given the lines of an export. */
export function requestOf(lines: Line[], { operation: id, picks }: AnyChange) {
  const operation = OPERATIONS.find((one) => one.id === id)!;
  const { params, body } = exampleOf(operation);
  let count = 0;
  const found = (key: string, value: unknown) => {
    const [kind, name] = REFERENCES[key] ?? NUMBERED.get(key) ?? [];
    const existing = kind === undefined ? [] : lines.filter((line) => line.kind === kind);
    const pick = picks[count++ % picks.length];
    if (existing.length === 0 || typeof pick !== "number") return value;
    return existing[pick % existing.length]![name!];
  };
  const path = operation.path.replaceAll(/([^/]+)\/:(\w+)/g, (_, before: string, name: string) => {
    const key = name === "id" || name === "name" || name === "type" ? before : name;
    return `${before}/${encodeURIComponent(found(key, params[name]))}`;
  });
  return { method: operation.method, path, body: body === undefined ? undefined : replaced(body, "", found) };
}

/** A body with every leaf replaced, by the name of its key; elements of a list have that of the list. */
function replaced(value: unknown, key: string, found: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, key, found));
  if (typeof value !== "object" || value === null) return found(key, value);
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    replaced(item, name === "id" ? key : name, found),
  ]);
  return Object.fromEntries(entries);
}
