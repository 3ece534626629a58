import { type Database, query } from "../db/statement.ts";
import type { Actor } from "./actor.ts";
import type { Permission } from "./permissions.ts";
import type { Claim } from "./require-permission.ts";

/** What an operation needs beside a valid token, as data; the names are those of parameters of its path. */
export interface Need {
  /** One of these; none needs no more than a user. */
  permission?: Permission | readonly Permission[];
  /** Names the project, which has to be visible. */
  project?: string;
  /** Names a flag, whose project is meant. */
  feature?: string;
  environment?: string;
  /** It is for applications: their tokens open it, and the surface has said which. */
  isForSdks?: true;
  /** Names a user who needs no permission for what is his own. */
  unlessOwn?: string;
}

const projectOf = query<{ feature: string }, { project: string }>(`
  SELECT project FROM features WHERE name = :feature`);

/** What a request asks for, the parameters of its path filled in. */
export function toClaim(
  db: Database,
  actor: Actor,
  need: Need | Permission | null,
  params: Record<string, string>,
): Claim {
  if (need === null) return { permissions: [] };
  if (typeof need === "string") return { permissions: [need] };
  const { permission = [], project, feature, environment, unlessOwn, isForSdks = false } = need;
  const isOwn = unlessOwn !== undefined && params[unlessOwn] === String(actor.userId);
  return {
    isForSdks,
    permissions: isOwn ? [] : [permission].flat(),
    project:
      project === undefined
        ? feature && projectOf(db).get({ feature: params[feature]! })?.project
        : params[project],
    environment: environment && params[environment],
  };
}
