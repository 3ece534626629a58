import { type Database, query } from "../db/statement.ts";
import type { ApplicationSearch, ProjectApplications } from "./schema.ts";
import { matchingNames } from "./store.ts";

const applicationsOf = query<{ project: string }, string>(`
  SELECT DISTINCT application FROM features CROSS JOIN usage_series ON feature = features.name
  WHERE project = :project ORDER BY application`);

interface Row {
  application: string;
  environment: string;
  instance: string | null;
  sdk: string | null;
}

// Only instances in environments where flags of the project were requested.
const instancesOf = query<{ project: string; names: string }, Row>(`
  SELECT user AS application, used.environment, instance, sdk_version AS sdk
  FROM (SELECT DISTINCT usage_series.application AS user, usage_series.environment
    FROM json_each(:names) AS page
    CROSS JOIN usage_series ON usage_series.application = page.value
    CROSS JOIN features ON features.name = usage_series.feature AND features.project = :project) AS used
  LEFT JOIN application_instances
    ON application_instances.application = user AND application_instances.environment = used.environment
  ORDER BY user, used.environment, instance`);

type ProjectApplication = ProjectApplications["applications"][number];

/** A page of the applications that have requested flags of a project, by name. */
export function applicationsOfProject(
  db: Database,
  project: string,
  search: ApplicationSearch,
): ProjectApplications {
  const found = matchingNames(applicationsOf(db).pluck().all({ project }), search);
  const page = found.slice(search.offset, search.offset + search.limit);
  const rows = instancesOf(db).all({ project, names: JSON.stringify(page) });
  const byApplication = Map.groupBy(rows, ({ application }) => application);
  const applications = page.map((name) => toProjectApplication(name, byApplication.get(name) ?? []));
  return { applications, total: found.length };
}

const toProjectApplication = (name: string, rows: readonly Row[]): ProjectApplication => ({
  name,
  environments: distinct(rows.map(({ environment }) => environment)),
  instances: distinct(rows.flatMap(({ instance }) => instance ?? [])),
  sdks: toSdks(distinct(rows.flatMap(({ sdk }) => sdk ?? []))),
});

const distinct = (names: readonly string[]) => [...new Set(names)];

/** By name, with all versions of each. */
function toSdks(sdks: readonly string[]): ProjectApplication["sdks"] {
  const parts = sdks.toSorted().map((sdk) => sdk.split(":"));
  return [...Map.groupBy(parts, ([name = ""]) => name)].map(([name, group]) => ({
    name,
    versions: group.flatMap(([, version]) => version ?? []),
  }));
}
