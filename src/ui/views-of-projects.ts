import type { View } from "./views.ts";

/** What is below a project. */
export const VIEWS_OF_PROJECTS: readonly View[] = [
  { path: "/projects/:projectId", title: "Flags", load: () => import("./views/project/flags.tsx") },
  {
    path: "/projects/:projectId/features/:featureName",
    title: "Flag",
    load: () => import("./views/flag/flag.tsx"),
  },
];
