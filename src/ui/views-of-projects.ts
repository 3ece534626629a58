import type { View } from "./views.ts";

const PROJECT = "/projects/:projectId";
const FLAG = `${PROJECT}/features/:featureName`;

/** The views below a project. */
export const VIEWS_OF_PROJECTS: readonly View[] = [
  { path: PROJECT, title: "Flags", load: () => import("./views/project/flags.tsx") },
  { path: `${PROJECT}/insights`, title: "Insights", load: () => import("./views/project/insights.tsx") },
  { path: `${PROJECT}/people`, title: "Members", load: () => import("./views/project/people.tsx") },
  {
    path: `${PROJECT}/environments`,
    title: "Environments",
    load: () => import("./views/project/environments.tsx"),
  },
  { path: `${PROJECT}/tokens`, title: "Tokens", load: () => import("./views/project/tokens.tsx") },
  { path: `${PROJECT}/archive`, title: "Archive", load: () => import("./views/project/archive.tsx") },
  { path: `${PROJECT}/settings`, title: "Settings", load: () => import("./views/project/settings.tsx") },
  { path: FLAG, title: "Flag", load: () => import("./views/flag/flag.tsx") },
  { path: `${FLAG}/use`, title: "Usage", load: () => import("./views/flag/use.tsx") },
  { path: `${FLAG}/log`, title: "Log", load: () => import("./views/flag/log.tsx") },
  { path: `${FLAG}/settings`, title: "Settings", load: () => import("./views/flag/settings.tsx") },
];
