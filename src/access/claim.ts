import { type Database, query } from "../db/statement.ts";
import type { Actor } from "./actor.ts";
import type { Permission } from "./permissions.ts";
import type { Claim } from "./require-permission.ts";
import { hiddenProjects } from "./visibility.ts";

/** What an operation requires besides a valid token, as data; strings name parameters of its path. */
export interface Need {
  /** Any one of these; if empty, any user will do. */
  permission?: Permission | readonly Permission[];
  /** Names the project, which must be visible. */
  project?: string;
  /** Names a flag, and so its project; a hidden one is as good as unknown. */
  feature?: string;
  /** The same with a segment, which may have no project. */
  segment?: string;
  environment?: string;
  /** For applications: their tokens are accepted, and the surface has checked their kind. */
  isForSdks?: true;
  /** Names a user, who needs no permission for their own data. */
  unlessOwn?: string;
}

const projectOfFeature = query<{ feature: string }, string>(`
  SELECT project FROM features WHERE name = :feature`);

const projectOfSegment = query<{ segment: string }, string>(`
  SELECT project FROM segments WHERE id = :segment AND project IS NOT NULL`);

/** The claim of a request, with the parameters of its path filled in. */
export function toClaim(
  db: Database,
  actor: Actor,
  need: Need | Permission | null,
  params: Record<string, string>,
): Claim {
  if (need === null) return { permissions: [] };
  if (typeof need === "string") return { permissions: [need] };
  const { permission = [], environment, unlessOwn, isForSdks = false } = need;
  const isOwn = unlessOwn !== undefined && params[unlessOwn] === String(actor.userId);
  const project = projectOf(db, need, params);
  const isUnknown =
    need.project === undefined && project !== undefined && hiddenProjects(db, actor).includes(project);
  return {
    isForSdks,
    permissions: isOwn ? [] : [permission].flat(),
    project: isUnknown ? undefined : project,
    environment: environment && params[environment],
    ...(isUnknown && {
      unknown: need.feature ? `flag ${params[need.feature]}` : `segment ${Number(params[need.segment!])}`,
    }),
  };
}

function projectOf(db: Database, { project, feature, segment }: Need, params: Record<string, string>) {
  if (project !== undefined) return params[project];
  if (feature !== undefined) return projectOfFeature(db).pluck().get({ feature: params[feature]! });
  if (segment !== undefined) return projectOfSegment(db).pluck().get({ segment: params[segment]! });
  return undefined;
}
