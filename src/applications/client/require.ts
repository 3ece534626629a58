import type { SdkActor } from "../../access/authenticate.ts";
import type { Database } from "../../db/statement.ts";
import { invalid } from "../../lib/api-error.ts";
import { delta, toPosition, toRevision } from "./delta.ts";
import { evaluatorFor } from "./evaluators.ts";
import type { ClientQuery } from "./schema.ts";
import type { FlagSelection } from "./selection.ts";
import { stateOf } from "./state.ts";
import { allProjects, flagsTagged } from "./store.ts";

/** The environment for service tokens that request none (original). */
const DEFAULT_ENVIRONMENT = "default";

/** Undefined for all. */
const requestedProjects = ({ project }: ClientQuery) =>
  project.length === 0 || project.includes("*") ? undefined : [...new Set(project)];

const coversAllProjects = ({ projects }: SdkActor) => projects.includes("*");

/** The flags an application receives: its token's own projects and environment take precedence over the query. */
export function toSelection(db: Database, actor: SdkActor, query: ClientQuery): FlagSelection {
  const tags = query.tag.map(({ type, value }) => `${type}:${value}`);
  return {
    projects: coversAllProjects(actor) ? requestedProjects(query) : actor.projects,
    environment: actor.environment ?? query.environment ?? DEFAULT_ENVIRONMENT,
    namePrefix: query.namePrefix,
    names: tags.length > 0 ? flagsTagged(db, tags) : undefined,
  };
}

/** The effective query, as the response repeats it (original); no SDK reads it. */
export const toEcho = (
  actor: SdkActor,
  selection: FlagSelection,
  query: ClientQuery,
  inlinesSegments: boolean,
) => ({
  environment: selection.environment,
  ...(!(coversAllProjects(actor) && query.project.length === 0) && {
    project: selection.projects ?? query.project,
  }),
  ...(query.namePrefix !== undefined && { namePrefix: query.namePrefix }),
  ...(query.tag.length > 0 && { tag: query.tag.map(({ type, value }) => [type, value]) }),
  inlineSegmentConstraints: inlinesSegments,
});

/** Evaluates an application's flags in its environment. */
export function evaluatorOf(db: Database, actor: SdkActor) {
  const selection = toSelection(db, actor, { project: [], tag: [] });
  return { evaluator: evaluatorFor(db, selection), environment: selection.environment };
}

/** The same for a user and some or all projects, without those hidden from the user. */
export function evaluatorOfProjects(
  db: Database,
  requestedProjects: "*" | readonly string[],
  hidden: readonly string[],
  environment: string,
) {
  const requested = requestedProjects === "*" ? allProjects(db) : [...new Set(requestedProjects)];
  const projects = requested.filter((project) => !hidden.includes(project));
  return evaluatorFor(db, { projects, environment });
}

/** An application's position in the history of its flags, and whether they have changed since another position. */
export function flagsSince(db: Database, actor: SdkActor, position: string | undefined) {
  const selection = toSelection(db, actor, { project: [], tag: [] });
  const state = stateOf(db, selection.environment);
  const since = toRevision(state, position);
  const isChanged = since === undefined ? position !== undefined : delta(state, selection, since).length > 0;
  return { position: toPosition(state, state.revision), isChanged };
}

const SEMVER = /^(\d+)\.(\d+)\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;

/**
 * Whether an SDK supports segments, by the version of the client specification it follows: 4.2.0 or later.
 * @throws ApiError `ValidationError` for an invalid version
 */
export function supportsSegments(version: string | null): boolean {
  if (!version) return false;
  const [, major = "", minor = "", prerelease] = SEMVER.exec(version) ?? [];
  if (major === "")
    throw invalid({ path: "header.unleash-client-spec", message: "must be a version such as 5.2.0" });
  const isOld = Number(major) < 4 || (Number(major) === 4 && Number(minor) < 2);
  return !isOld && !(version.startsWith("4.2.0") && prerelease !== undefined);
}
