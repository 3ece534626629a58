import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";

/** A view, and the address it is shown at. */
export interface View {
  /** `:name` matches one segment. */
  path: string;
  /** Shown in the menu and the window title. */
  title: string;
  /** Loads its file, at the latest when it is first opened. */
  load(): Promise<ComponentType>;
  /** Views with an icon are in the menu. */
  icon?: IconName;
  /** `g` and this letter open it. */
  letter?: string;
  /** Only administrators see it in the menu. */
  isForAdmins?: true;
}

const view = (path: string, title: string, load: View["load"], inMenu?: Partial<View>): View => ({
  path,
  title,
  load,
  ...inMenu,
});

const flagSettings = () => import("./views/flag/settings.tsx");
const people = () => import("./views/people.tsx");
const projectSettings = () => import("./views/project/settings.tsx");
const tokens = () => import("./views/tokens.tsx");
const types = () => import("./views/types.tsx");
const vocabulary = () => import("./views/vocabulary.tsx");

const PROJECT = "/projects/:projectId";
const FLAG = `${PROJECT}/features/:featureName`;

/** All views, in the order of the menu. */
export const VIEWS: readonly View[] = [
  view("/", "Home", async () => (await import("./views/home.tsx")).Home, { icon: "home", letter: "h" }),
  view("/projects", "Projects", async () => (await import("./views/projects.tsx")).Projects, {
    icon: "project",
    letter: "p",
  }),
  view(PROJECT, "Flags", async () => (await import("./views/project/flags.tsx")).Flags),
  view(`${PROJECT}/insights`, "Insights", async () => (await projectSettings()).Insights),
  view(`${PROJECT}/people`, "Members", async () => (await import("./views/project/members.tsx")).Members),
  view(
    `${PROJECT}/environments`,
    "Environments",
    async () => (await import("./views/project/environments.tsx")).Environments,
  ),
  view(`${PROJECT}/tokens`, "Tokens", async () => (await tokens()).ProjectTokens),
  view(`${PROJECT}/archive`, "Archive", async () => (await projectSettings()).Archive),
  view(`${PROJECT}/settings`, "Settings", async () => (await projectSettings()).Settings),
  view(FLAG, "Flag", async () => (await import("./views/flag/flag.tsx")).Overview),
  view(`${FLAG}/use`, "Usage", async () => (await import("./views/flag/usage.tsx")).Usage),
  view(`${FLAG}/log`, "Log", async () => (await flagSettings()).Log),
  view(`${FLAG}/settings`, "Settings", async () => (await flagSettings()).Settings),
  view("/events", "Event log", async () => (await import("./views/log.tsx")).EventLog, {
    icon: "log",
    letter: "e",
  }),
  view("/playground", "Playground", async () => (await import("./views/playground.tsx")).Playground, {
    icon: "play",
    letter: "y",
  }),
  view("/connect", "Connect", async () => (await import("./views/connect.tsx")).Connect),
  view("/integrations", "Integrations", async () => (await import("./views/integrations.tsx")).Integrations, {
    icon: "integration",
    letter: "i",
  }),
  view("/integrations/:id", "Deliveries", async () => (await import("./views/deliveries.tsx")).Deliveries),
  view("/segments", "Segments", async () => (await vocabulary()).Segments, { icon: "segment", letter: "s" }),
  view("/environments", "Environments", async () => (await types()).Environments, { icon: "environment" }),
  view("/context-fields", "Context fields", async () => (await vocabulary()).ContextFields, {
    icon: "context",
    letter: "c",
  }),
  view("/tag-types", "Tag types", async () => (await types()).TagTypes, { icon: "tag" }),
  view("/strategy-types", "Strategy types", async () => (await types()).StrategyTypes, { icon: "strategy" }),
  view("/tokens", "Tokens", async () => (await tokens()).Tokens, { icon: "key", letter: "t" }),
  view("/people", "People", async () => (await people()).Users, {
    icon: "user",
    letter: "u",
    isForAdmins: true,
  }),
  view("/people/groups", "Groups", async () => (await people()).Groups),
  view("/people/roles", "Roles", async () => (await people()).Roles),
  view("/people/service-accounts", "Service accounts", async () => (await people()).ServiceAccounts),
  view("/people/invitations", "Invitations", async () => (await people()).Invitations),
  view("/me", "Your account", async () => (await import("./views/account.tsx")).Account),
];

/** Views that are reached by a link and need no sign-in. */
export const PUBLIC_VIEWS: readonly View[] = [
  view("/reset-password", "Set a password", async () => (await import("./views/password.tsx")).SetPassword),
  view("/new-user", "Welcome", async () => (await import("./views/password.tsx")).SetPassword),
];
