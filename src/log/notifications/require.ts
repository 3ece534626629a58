import type { Actor } from "../../access/actor.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import type { Database } from "../../db/database.ts";
import { isKnown } from "../../db/known.ts";
import { invalid } from "../../lib/api-error.ts";
import type { Mute } from "./schema.ts";

/** Checks that the projects to mute exist and are visible to the actor. @throws ApiError `ValidationError` */
export function requireProjectsOf(db: Database, actor: Actor, muted: readonly Mute[]) {
  const hidden = hiddenProjects(db, actor);
  for (const [index, { project }] of muted.entries()) {
    if (project === null || (isKnown(db, "project", project) && !hidden.includes(project))) continue;
    throw invalid({ path: `body.muted.${index}.project`, message: `there is no project ${project}` });
  }
}
