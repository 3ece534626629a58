import { ADMIN, CLIENT, COMMON, featureName, PROJECTS, RARE, VIEWER } from "./dataset.ts";

/** A read to measure, or a usage report. */
export interface Case {
  name: string;
  path: string;
  token: string;
  /** In addition to the token. */
  headers?: Record<string, string>;
  /** Makes it a POST. */
  body?: string;
  /** The SQL of its rows; for lists of events read from a single index. */
  rows?: string;
  /** A response so large that requests per second say little. */
  isLong?: true;
}

const read = (name: string, path: string, token = ADMIN): Case => ({
  name,
  path: `/api/admin/${path}`,
  token,
});

const search = (name: string, criteria: object, rest: Partial<Case> = {}): Case => ({
  ...read(`search: ${name}`, "events/search"),
  body: JSON.stringify(criteria),
  ...rest,
});

const newer = (name: string, path: string): Case => read(`newer search: ${name}`, `search/${path}`);

/** The newest events that match, as many as a list returns. */
const newest = (condition: string, limit = "LIMIT 100") => ({
  rows: `SELECT wire FROM events WHERE ${condition} ORDER BY id DESC ${limit}`,
});

const [project = ""] = PROJECTS;
const feature = featureName(0);

/** An application's usage of 20 flags, some with variants. */
export function report(nameOf = featureName): Case {
  const now = new Date().toISOString();
  const toggles = Array.from({ length: 20 }, (_, index) => [
    nameOf(index),
    { yes: index, no: 1, variants: index % 4 === 0 ? { red: index, blue: 1 } : {} },
  ]);
  const bucket = { start: now, stop: now, toggles: Object.fromEntries(toggles) };
  const body = JSON.stringify({ appName: "shop", instanceId: "one", bucket });
  return { name: "usage report of 20 flags", path: "/api/client/metrics", token: CLIENT, body };
}

export const casesFor = (events: number): Case[] => [
  { ...read("events", "events"), ...newest("true") },
  read("events, two projects hidden", "events", VIEWER),
  {
    ...read("events of a project", `events?project=${project}`),
    isLong: true,
    ...newest(`project = '${project}'`, ""),
  },
  read("project features (100 flags)", `projects/${project}/features`),
  read("strategies", `projects/${project}/features/${feature}/environments/production/strategies`),
  read("user", "user-admin/7"),
  read("notifications", "notifications"),
  read("personal dashboard", "personal-dashboard"),
  read("project details", `personal-dashboard/${project}`),
  read("integration events", "addons/1/events"),
  search("all", {}, newest("true")),
  search("no hit", { query: "nowhere-to-be-found" }),
  search("rare", { query: RARE }),
  search("common", { query: COMMON }),
  search("one character", { query: "z" }),
  search("two characters", { query: "ze" }),
  search("two, no hit", { query: "qq" }),
  search("type", { type: "feature-created" }, newest("type = 'feature-created'")),
  search("project", { project }, newest(`project = '${project}'`)),
  search("feature", { feature }, newest(`feature_name = '${feature}'`)),
  search("common in a project", { query: COMMON, project }),
  search("rare of a type", { query: RARE, type: "feature-updated" }),
  search("common of a feature", { query: COMMON, feature }),
  search("rare, two projects hidden", { query: RARE }, { token: VIEWER }),
  report(),
  newer("flags by text", "features?query=feature-42"),
  newer("flags of a project", `features?project=IS:${project}`),
  newer("flags by state, the second page", "features?state=IS:active&offset=50&limit=50"),
  newer("newest events", "events"),
  newer("events of a project", `events?project=IS:${project}`),
  newer("events of a flag", `events?feature=IS:${feature}`),
  newer("events of two types", "events?type=IS_ANY_OF:feature-created,feature-archived"),
  newer("rare text", `events?query=${RARE}`),
  search("deep offset", { offset: Math.floor(events / 3) }, newest(`id <= ${Math.floor(events / 3)}`)),
];
