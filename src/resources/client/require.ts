import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import type { Database } from "../../db/statement.ts";
import { invalid } from "../../http/error.ts";
import { delta, toPosition, toRevision } from "./delta.ts";
import { evaluatorFor } from "./evaluators.ts";
import type { ClientQuery } from "./schema.ts";
import { stateOf } from "./state.ts";
import { allProjects, flagsTagged } from "./store.ts";
import type { Wanted } from "./wanted.ts";

/** The environment for service tokens if none is named (original). */
const DEFAULT_ENVIRONMENT = "default";

const isOfAll = ({ projects }: SdkActor) => projects.includes("*");

/** What an application gets of its request: the token's own projects and environment take precedence. */
export function toWanted(db: Database, actor: SdkActor, asked: ClientQuery): Wanted {
  const named = asked.project.length > 0 ? [...new Set(asked.project)] : undefined;
  const tags = asked.tag.map(({ type, value }) => `${type}:${value}`);
  return {
    projects: isOfAll(actor) ? named : actor.projects,
    environment: actor.environment ?? asked.environment ?? DEFAULT_ENVIRONMENT,
    namePrefix: asked.namePrefix,
    names: tags.length > 0 ? flagsTagged(db, tags) : undefined,
  };
}

/** The query in effect, as the answer states it (original); no SDK reads it. */
export const toEcho = (actor: SdkActor, wanted: Wanted, asked: ClientQuery, inlines: boolean) => ({
  environment: wanted.environment,
  ...(!(isOfAll(actor) && asked.project.length === 0) && { project: wanted.projects }),
  ...(asked.namePrefix !== undefined && { namePrefix: asked.namePrefix }),
  ...(asked.tag.length > 0 && { tag: asked.tag.map(({ type, value }) => [type, value]) }),
  inlineSegmentConstraints: inlines,
});

/** Evaluates an application's flags in its environment. */
export function evaluatorOf(db: Database, actor: SdkActor) {
  const wanted = toWanted(db, actor, { project: [], tag: [] });
  return { evaluator: evaluatorFor(db, wanted), environment: wanted.environment };
}

/** The same for a person and some projects, or all, without those hidden from them. */
export function evaluatorOfProjects(
  db: Database,
  asked: "*" | readonly string[],
  hidden: readonly string[],
  environment: string,
) {
  const named = asked === "*" ? allProjects(db) : [...new Set(asked)];
  const projects = named.filter((project) => !hidden.includes(project));
  return { evaluator: evaluatorFor(db, { projects, environment }), projects };
}

/** An application's position in the history of its flags, and whether they have changed since another position. */
export function flagsSince(db: Database, actor: SdkActor, told: string | undefined) {
  const wanted = toWanted(db, actor, { project: [], tag: [] });
  const state = stateOf(db, wanted.environment);
  const since = toRevision(state, told);
  const isChanged = since === undefined ? told !== undefined : delta(state, wanted, since).length > 0;
  return { position: toPosition(state, state.revision), isChanged };
}

const SEMVER = /^(\d+)\.(\d+)\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;

/**
 * Whether an SDK supports segments, by the version of the client specification it follows: 4.2.0 or later.
 * @throws ApiError `ValidationError` for an invalid version
 */
export function knowsSegments(version: string | null): boolean {
  if (!version) return false;
  const [, major = "", minor = "", prerelease] = SEMVER.exec(version) ?? [];
  if (major === "")
    throw invalid({ path: "header.unleash-client-spec", message: "must be a version such as 5.2.0" });
  const isOld = Number(major) < 4 || (Number(major) === 4 && Number(minor) < 2);
  return !isOld && !(version.startsWith("4.2.0") && prerelease !== undefined);
}
