import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";
import { VIEWS_OF_PROJECTS } from "./views-of-projects.ts";

/** A view, and the address it is shown at. */
export interface View {
  /** `:name` matches one segment. */
  path: string;
  /** Shown in the menu and the window title. */
  title: string;
  /** Views with an icon are in the menu. */
  icon?: IconName;
  /** `g` and this letter open it. */
  letter?: string;
  /** Only administrators see it in the menu. */
  isForAdmins?: true;
  /** Loads its file, at the latest when it is first opened. */
  load(): Promise<{ View: ComponentType }>;
}

/** All views, in the order of the menu. */
export const VIEWS: readonly View[] = [
  { path: "/", title: "Home", icon: "home", letter: "h", load: () => import("./views/home.tsx") },
  {
    path: "/projects",
    title: "Projects",
    icon: "project",
    letter: "p",
    load: () => import("./views/projects.tsx"),
  },
  ...VIEWS_OF_PROJECTS,
  {
    path: "/events",
    title: "Event log",
    icon: "log",
    letter: "e",
    load: () => import("./views/log/log.tsx"),
  },
  {
    path: "/playground",
    title: "Playground",
    icon: "play",
    letter: "y",
    load: () => import("./views/playground.tsx"),
  },
  { path: "/connect", title: "Connect", load: () => import("./views/connect.tsx") },
  {
    path: "/integrations",
    title: "Integrations",
    icon: "integration",
    letter: "i",
    load: () => import("./views/integrations/integrations.tsx"),
  },
  {
    path: "/integrations/:id",
    title: "Deliveries",
    load: () => import("./views/integrations/deliveries.tsx"),
  },
  {
    path: "/segments",
    title: "Segments",
    icon: "segment",
    letter: "s",
    load: () => import("./views/segments.tsx"),
  },
  {
    path: "/environments",
    title: "Environments",
    icon: "environment",
    load: () => import("./views/environments.tsx"),
  },
  {
    path: "/context-fields",
    title: "Context fields",
    icon: "context",
    letter: "c",
    load: () => import("./views/context-fields.tsx"),
  },
  { path: "/tag-types", title: "Tag types", icon: "tag", load: () => import("./views/tag-types.tsx") },
  {
    path: "/strategy-types",
    title: "Strategy types",
    icon: "strategy",
    load: () => import("./views/strategy-types.tsx"),
  },
  {
    path: "/tokens",
    title: "Tokens",
    icon: "key",
    letter: "t",
    load: () => import("./views/tokens.tsx"),
  },
  {
    path: "/people",
    title: "People",
    icon: "user",
    letter: "u",
    isForAdmins: true,
    load: () => import("./views/people/users.tsx"),
  },
  { path: "/people/groups", title: "Groups", load: () => import("./views/people/groups.tsx") },
  { path: "/people/roles", title: "Roles", load: () => import("./views/people/roles.tsx") },
  {
    path: "/people/service-accounts",
    title: "Service accounts",
    load: () => import("./views/people/service-accounts.tsx"),
  },
  { path: "/people/invitations", title: "Invitations", load: () => import("./views/people/invitations.tsx") },
  { path: "/me", title: "Your account", load: () => import("./views/me.tsx") },
];

/** Views that are reached by a link and need no sign-in. */
export const PUBLIC_VIEWS: readonly View[] = [
  { path: "/reset-password", title: "Set a password", load: () => import("./views/set-password.tsx") },
  { path: "/new-user", title: "Welcome", load: () => import("./views/set-password.tsx") },
];
