import fc from "fast-check";
import type { Change } from "./changes.ts";
import { ENVIRONMENTS, type Line, PROJECTS, TAG_TYPES, USERS } from "./dataset.ts";

/** A change by some user; what it refers to is chosen from what exists at that point. */
export interface Step {
  /** Null for the service token. */
  as: number | null;
  change: Change;
  /** The index of the flag or project, among those that exist; null to use the one in the change. */
  pick: number | null;
  /** Uses a place where the change is possible. */
  isAtHome: boolean;
}

const LATER = "2099-01-01T00:00:00.000Z";

/** Mostly valid, sometimes of the wrong type. */
const either = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: right, weight: 12 }, { arbitrary: fc.constantFrom(null, 5, "", [], {}), weight: 1 });
const body = (
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
) => fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) }) as fc.Arbitrary<Line>;

const projectId = fc.constantFrom(...PROJECTS, "new", "gone");
const environment = fc.constantFrom(...ENVIRONMENTS, ...ENVIRONMENTS, "nope");

const newProject = body(
  { name: either(fc.constantFrom("Team One", "!!!", "p")) },
  {
    id: either(fc.constantFrom("new", "p", "other", "..")),
    description: either(fc.constant("D")),
    mode: fc.constantFrom("open", "private", "secret"),
    environments: fc.subarray([...ENVIRONMENTS, "nope"], { maxLength: 3 }),
  },
);

const newUser = body(
  { rootRole: either(fc.constantFrom(1, 2, 3, 6, 4, 99)) },
  {
    username: either(fc.constantFrom("nina", "user1", "user2@example.com")),
    email: either(fc.constantFrom("Nina@example.com", "USER1@Example.com", "nina@other.example")),
    name: either(fc.constant("Nina")),
  },
);

const newToken = body(
  {
    description: either(fc.constantFrom("laptop", "test")),
    expiresAt: either(fc.constantFrom(LATER, LATER, "2020-01-01T00:00:00.000Z")),
  },
  {},
);

const newFeature = body(
  { name: either(fc.constantFrom("a", "new-1", "new-2", "new-3", "b c")) },
  {
    type: either(fc.constantFrom("release", "operational", "nope")),
    description: either(fc.constantFrom("D", "")),
    stale: either(fc.boolean()),
    impressionData: either(fc.boolean()),
  },
);

const newStrategy = body(
  { name: either(fc.constantFrom("default", "flexibleRollout", "userWithId", "nope")) },
  {
    title: either(fc.constant("T")),
    disabled: fc.constantFrom(true, false, null),
    sortOrder: fc.constantFrom(0, 1.5, -3),
    segments: fc.constantFrom([], [2, 1, 2], [99]),
    parameters: fc.constantFrom({}, { rollout: "25" }, { userIds: "a,b" }),
  },
);

const nobodies = fc.constant<string[]>(["nope"]);
const place = { project: projectId, feature: fc.constant("nope") };
const of = <K extends string, T>(kind: K, rest: { [P in keyof T]: fc.Arbitrary<T[P]> }) =>
  fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<Change>;

const change = fc.oneof(
  of("createProject", { body: newProject }),
  of("createUser", { body: newUser }),
  of("createToken", { body: newToken }),
  { arbitrary: of("createFeature", { project: projectId, body: newFeature }), weight: 3 },
  {
    arbitrary: of("switch", { ...place, environment, isOn: fc.boolean(), activates: fc.boolean() }),
    weight: 4,
  },
  { arbitrary: of("archive", place), weight: 2 },
  { arbitrary: of("addStrategy", { ...place, environment, body: newStrategy }), weight: 3 },
  { arbitrary: of("removeStrategy", { ...place, environment, strategy: fc.constant("nope") }), weight: 3 },
  of("tag", {
    ...place,
    type: fc.constantFrom(...TAG_TYPES, "nope"),
    value: fc.constantFrom("aa", "Bb", "éé", "new"),
    isAdded: fc.boolean(),
  }),
  of("favorite", { ...place, isOn: fc.boolean() }),
  of("markStale", { project: projectId, features: nobodies, stale: fc.boolean() }),
  { arbitrary: of("revive", { project: projectId, features: nobodies }), weight: 2 },
  of("remove", { project: projectId, features: nobodies }),
);

export const step: fc.Arbitrary<Step> = fc.record({
  as: fc.constantFrom(...USERS, null, null),
  change,
  pick: fc.option(fc.nat(20), { nil: null, freq: 15 }),
  isAtHome: fc.constantFrom(true, true, true, true, true, false),
});

/** The change with its references filled in; with `isAtHome`, a live project and one of its environments. */
export function toChange(lines: Line[], { change, pick, isAtHome }: Step): Change {
  const of = (kind: string) => lines.filter((line) => line.kind === kind);
  const picked = (list: Line[]) => (pick === null ? undefined : list[pick % list.length]);
  if (change.kind === "createFeature") {
    const live = picked(of("project").filter(({ archivedAt }) => archivedAt === undefined));
    return live && isAtHome ? { ...change, project: live.id } : change;
  }
  const flag = picked(of("feature"));
  if (!flag) return change;
  if ("features" in change) {
    const features = of("feature").filter(({ project }) => project === flag.project || !isAtHome);
    return {
      ...change,
      project: flag.project,
      features: [...change.features, ...features.map(({ name }) => name)],
    };
  }
  if (!("feature" in change)) return change;
  const meant = { ...change, feature: flag.name };
  if (!isAtHome) return meant;
  if (change.kind === "removeStrategy") return { ...change, ...placeOfStrategy(flag, change) };
  const { environments } = of("project").find(({ id }) => id === flag.project)!;
  return {
    ...meant,
    project: flag.project,
    ...(environments.length > 0 && { environment: environments[0] }),
  };
}

/** The flag's first strategy in any environment. */
function placeOfStrategy({ name, project, environments }: Line, { environment, strategy }: Line) {
  const first = environments.find(({ strategies }: Line) => strategies.length > 0);
  const there = { environment: first?.name ?? environment, strategy: first?.strategies[0].id ?? strategy };
  return { project, feature: name, ...there };
}

/** The request of the change. */
export function toRequest(change: Change): { method: string; path: string; body?: Line } {
  const segment = encodeURIComponent;
  const project = "project" in change ? `projects/${segment(change.project)}` : "";
  const flag = "feature" in change ? `${project}/features/${segment(change.feature)}` : "";
  switch (change.kind) {
    case "createProject":
      return { method: "POST", path: "projects", body: change.body };
    case "createUser":
      return { method: "POST", path: "user-admin", body: change.body };
    case "createToken":
      return { method: "POST", path: "user/tokens", body: change.body };
    case "createFeature":
      return { method: "POST", path: `${project}/features`, body: change.body };
    case "archive":
      return { method: "DELETE", path: flag };
    case "switch": {
      const query = change.activates ? "?shouldActivateDisabledStrategies=true" : "";
      const word = change.isOn ? "on" : "off";
      return { method: "POST", path: `${flag}/environments/${change.environment}/${word}${query}` };
    }
    case "addStrategy":
      return {
        method: "POST",
        path: `${flag}/environments/${change.environment}/strategies`,
        body: change.body,
      };
    case "removeStrategy": {
      const { environment, strategy } = change;
      return { method: "DELETE", path: `${flag}/environments/${environment}/strategies/${strategy}` };
    }
    case "tag": {
      const tag = { type: change.type, value: change.value };
      const tags = { addedTags: change.isAdded ? [tag] : [], removedTags: change.isAdded ? [] : [tag] };
      return { method: "PUT", path: `${project}/tags`, body: { features: [change.feature], tags } };
    }
    case "favorite":
      return { method: change.isOn ? "POST" : "DELETE", path: `${flag}/favorites` };
    case "markStale": {
      const { features, stale } = change;
      return { method: "POST", path: `${project}/stale`, body: { features, stale } };
    }
    case "revive":
      return { method: "POST", path: `${project}/revive`, body: { features: change.features } };
    case "remove":
      return { method: "POST", path: `${project}/delete`, body: { features: change.features } };
  }
}
