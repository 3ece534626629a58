import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { ApiError, invalid } from "../lib/api-error.ts";

/** A strategy that uses something, and where it is. */
export const StrategyUse = v.strictObject({
  id: v.string(),
  projectId: v.string(),
  featureName: v.string(),
  strategyName: v.string(),
  environment: v.string(),
});
type StrategyUse = v.InferOutput<typeof StrategyUse>;

/** @param table says which strategy uses what, in its column `subject` */
const usesIn = (table: string, subject: string) =>
  query<{ key: string | number; hidden: string }, StrategyUse>(`
    SELECT strategies.id, project AS projectId, feature AS featureName, strategies.name AS strategyName, environment
    FROM ${table} JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
    WHERE ${subject} = :key AND project NOT IN (SELECT value FROM json_each(:hidden))
    ORDER BY feature, environment, strategies.sort_order, strategies.id`);

const USES = {
  "context field": usesIn("strategy_context_fields", "context_field"),
  segment: usesIn("strategy_segments", "segment"),
};

type Kind = keyof typeof USES;

/**
 * The strategies that use something, existing or not, including those of archived flags.
 * @param hidden projects that are left out
 */
export const strategiesUsing = (
  db: Database,
  kind: Kind,
  key: string | number,
  hidden: readonly string[] = [],
): StrategyUse[] => USES[kind](db).all({ key, hidden: JSON.stringify(hidden) });

/** The same that a change request would add or change. */
export const ProposedUse = v.strictObject({
  ...v.partial(StrategyUse, ["id"]).entries,
  changeRequest: v.strictObject({ id: v.number(), title: v.optional(v.string()) }),
});
type ProposedUse = v.InferOutput<typeof ProposedUse>;

const proposed = query<
  { segment: number; me: number; hidden: string },
  Omit<StrategyUse, "id"> & { id: string | null; request: number; title: string | null }
>(`
  SELECT payload ->> 'id' AS id, project AS projectId, feature AS featureName, environment, request.id AS request, title,
    coalesce(payload ->> 'name', before ->> 'name') AS strategyName
  FROM change_requests AS request JOIN change_request_changes ON change_request = request.id
  WHERE state NOT IN ('Applied', 'Cancelled', 'Rejected') AND (state <> 'Draft' OR request.created_by = :me)
    AND action IN ('addStrategy', 'updateStrategy')
    AND :segment IN (SELECT value FROM json_each(payload, '$.segments'))
    AND project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY feature, environment, request.id`);

/** Where change requests that are not closed use a segment. @param me whose drafts are included */
export const proposedUses = (
  db: Database,
  segment: number,
  me: number,
  hidden: readonly string[],
): ProposedUse[] =>
  proposed(db)
    .all({ segment, me, hidden: JSON.stringify(hidden) })
    .map(({ id, request, title, ...use }) => ({
      ...(id !== null && { id }),
      ...use,
      changeRequest: { id: request, ...(title !== null && { title }) },
    }));

/** The maximum number of flags named in an error. */
const MAX_NAMED = 10;

/** @throws ApiError `ConflictError` if any strategy uses it, or would by a change request, naming the flags that the actor can see */
export function requireUnused(db: Database, actor: Actor, kind: Kind, key: string | number, name: string) {
  const usesOutside = (hidden: readonly string[]) => [
    ...strategiesUsing(db, kind, key, hidden),
    ...(kind === "segment" ? proposedUses(db, Number(key), actor.createdByUserId ?? 0, hidden) : []),
  ];
  if (usesOutside([]).length === 0) return;
  const visible = usesOutside(hiddenProjects(db, actor));
  const flags = [...new Set(visible.map(({ featureName }) => featureName))].slice(0, MAX_NAMED);
  const users = flags.length > 0 ? `strategies of ${flags.join(", ")}` : "strategies that you may not see";
  throw new ApiError("ConflictError", `The ${kind} ${name} can't be deleted: ${users} use it`);
}

/**
 * Checks that it may belong to a project, or to none, since no strategy of another one uses it.
 * @throws ApiError `ValidationError`
 */
export function requireUsedOnlyIn(db: Database, kind: Kind, key: string | number, project: string | null) {
  const isElsewhere = strategiesUsing(db, kind, key).some(({ projectId }) => projectId !== project);
  if (project === null || !isElsewhere) return;
  throw invalid({ path: "body.project", message: `strategies of other projects use the ${kind}` });
}
