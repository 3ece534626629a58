import { type Database, query } from "../../db/statement.ts";
import type { OnboardingStatus } from "./schema.ts";

const isSeen = query<{ project: string }>(`
  SELECT 1 FROM features WHERE project = :project AND seen_at IS NOT NULL LIMIT 1`);

const hasApplication = query<{ project: string }>(`
  SELECT 1 FROM application_places WHERE project = :project LIMIT 1`);

const oldestLive = query<{ project: string }, { feature: string }>(`
  SELECT name AS feature FROM features
  WHERE project = :project AND archived_at IS NULL ORDER BY created_at, name LIMIT 1`);

/** How far a project's onboarding has progressed: a first flag, then a first use or an application (original). */
export function onboardingStatus(db: Database, project: string): OnboardingStatus {
  if (isSeen(db).get({ project }) || hasApplication(db).get({ project })) return { status: "onboarded" };
  const first = oldestLive(db).get({ project });
  return first ? { status: "first-flag-created", feature: first.feature } : { status: "onboarding-started" };
}
