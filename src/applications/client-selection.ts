import type { SdkActor } from "../access/authenticate.ts";
import type { Database } from "../db/database.ts";
import type { ClientQuery } from "./client-schema.ts";
import type { State } from "./client-state.ts";
import { type Flag, flagsTagged, type Segment } from "./client-store.ts";

/** Which flags an application receives: those that it requests and has access to. */
export interface FlagSelection {
  /** Undefined for all. */
  projects: readonly string[] | undefined;
  environment: string;
  /** Names must begin with it; case-sensitive. */
  namePrefix?: string | undefined;
  /** The flags that have a requested tag. */
  names?: ReadonlySet<string> | undefined;
}

/** The environment for service tokens that request none (original). */
const DEFAULT_ENVIRONMENT = "default";

/** The flags an application receives: its token's own projects and environment take precedence over the query. */
export function toSelection(
  db: Database,
  actor: SdkActor,
  { project = [], tag = [], namePrefix, environment }: Partial<ClientQuery> = {},
): FlagSelection {
  const requested = project.length === 0 || project.includes("*") ? undefined : [...new Set(project)];
  const tags = tag.map(({ type, value }) => `${type}:${value}`);
  return {
    projects: coversAllProjects(actor) ? requested : actor.projects,
    environment: actor.environment ?? environment ?? DEFAULT_ENVIRONMENT,
    namePrefix,
    names: tags.length > 0 ? flagsTagged(db, tags) : undefined,
  };
}

const coversAllProjects = ({ projects }: SdkActor) => projects.includes("*");

/** The effective query, as the response repeats it (original); no SDK reads it. */
export const effectiveQuery = (
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

export const isSelected = (
  { name, project }: Pick<Flag, "name" | "project">,
  { projects, namePrefix = "", names }: FlagSelection,
) => (projects?.includes(project) ?? true) && name.startsWith(namePrefix) && (names?.has(name) ?? true);

export function selectedFlags({ flags }: State, selection: FlagSelection): Flag[] {
  const found: Flag[] = [];
  for (const flag of flags.values()) if (isSelected(flag, selection)) found.push(flag);
  return found;
}

/** A segment that only flags of private projects use is none of other projects' business. */
export const isSegmentSelected = ({ projects = null }: Partial<Segment>, selection: FlagSelection) =>
  projects === null || (selection.projects?.some((project) => projects.includes(project)) ?? true);

/** By id, the projects of segments that only private ones use, as far as they are selected; undefined if there are none. */
export function privateSegments({ segments }: State, selection: FlagSelection) {
  const found = [...segments].flatMap(([id, { projects }]) => {
    const own = projects?.filter((project) => selection.projects?.includes(project) ?? true) ?? [];
    return own.length > 0 ? [[id, own] as const] : [];
  });
  return found.length > 0 ? (Object.fromEntries(found) as Record<string, string[]>) : undefined;
}

export const selectedSegments = ({ segments }: State, selection: FlagSelection): string[] =>
  [...segments.values()].filter((segment) => isSegmentSelected(segment, selection)).map(({ text }) => text);
