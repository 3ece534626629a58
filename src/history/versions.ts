import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { query } from "../db/statement.ts";
import { Event } from "../events/schema.ts";
import { Summary } from "../events/wire.ts";
import { findFeature } from "../flags/features-store.ts";
import { lenient } from "../http/criteria-schema.ts";
import { GET } from "../http/operation.ts";
import { found } from "../lib/api-error.ts";
import { blameOf } from "./blame.ts";
import { changesIn } from "./changes.ts";

/** Who made a change and when; its id is that of its first event. */
const Author = v.pick(Event, ["id", "createdAt", "createdBy", "createdByUserId"]);

const path = (example: string) => v.pipe(v.string(), v.description(`Such as \`environments.${example}\``));

/** The versions of a flag, newest first, and who last changed what it has now. */
export const FeatureHistory = v.strictObject({
  versions: v.array(
    v.strictObject({
      ...Author.entries,
      events: v.array(v.strictObject(v.pick(Event, ["id", "type", "environment", "summary"]).entries)),
      /** Without a value, there was none, or the log doesn't say it. */
      changes: v.array(
        v.strictObject({
          path: path("production.strategies.ID.constraints"),
          from: v.optional(v.unknown()),
          to: v.optional(v.unknown()),
        }),
      ),
    }),
  ),
  blame: v.array(v.strictObject({ path: path("production.strategies.ID.constraints.0"), ...Author.entries })),
});

export const ofFlag = {
  tag: "Features",
  path: "/api/admin/projects/:projectId/features/:featureName",
  permission: { project: "projectId" },
  errors: ["NotFoundError"],
} as const;

export const readHistory = GET({
  ...ofFlag,
  id: "getFeatureHistory",
  summary: "The versions of a flag, key by key, and who last changed what it has now",
  path: `${ofFlag.path}/history`,
  query: v.object({
    limit: lenient(1, 100, 20),
    before: v.pipe(
      lenient(1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      v.description("Only those before the version with this id"),
    ),
  }),
  response: FeatureHistory,
}).run(({ db, actor, params: { projectId: project, featureName: feature }, query }) => {
  const isThere = findFeature(db, feature)?.project === project || wasThere(db).get({ project, feature });
  found(isThere || undefined, `flag ${feature} in the project ${project}`);
  const hidden = JSON.stringify(hiddenProjects(db, actor));
  const rows = page(db).all({ feature, hidden, ...query });
  return {
    versions: [...Map.groupBy(rows, ({ version }) => version)].map(toVersion),
    blame: blameOf(db, { project, feature, hidden }),
  };
});

const wasThere = query<{ project: string; feature: string }>(`
  SELECT 1 FROM events WHERE feature_name = :feature AND project = :project LIMIT 1`);

interface Row {
  /** The first event of its change. */
  version: number;
  wire: string;
}

const page = query<{ feature: string; hidden: string; before: number; limit: number }, Row>(`
  WITH own AS (
    SELECT id, ifnull(first_id, id) AS version FROM events
    WHERE feature_name = :feature AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden)))
  SELECT version, wire FROM own JOIN events USING (id)
  WHERE version IN (SELECT DISTINCT version FROM own WHERE version < :before ORDER BY version DESC LIMIT :limit)
  ORDER BY id DESC`);

function toVersion([id, rows]: [number, Row[]]) {
  const events = rows.map(({ wire }): Event => JSON.parse(wire)).toReversed();
  return {
    ...authorOf(events[0]!, id),
    events: events.map(({ id, type, environment, summary }) => ({
      id,
      type,
      environment,
      summary: new Summary(JSON.stringify(summary)),
    })),
    changes: events.flatMap(changesIn),
  };
}

const authorOf = ({ createdAt, createdBy, createdByUserId }: Event, id: number) => ({
  id,
  createdAt,
  createdBy,
  createdByUserId,
});
