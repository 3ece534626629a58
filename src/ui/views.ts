import type { ComponentType } from "preact";
import { type Later, later } from "./parts/later.tsx";
import type { IconName } from "./parts/words.tsx";

/** A view, and the address it is shown at. */
export interface View {
  /** `:name` matches one segment. */
  path: string;
  /** Shown in the menu and the window title. */
  title: string;
  /** In a file of its own. */
  Shown: Later;
  /** Where it is in the menu, if it is. */
  menu?: MenuGroup | undefined;
  icon?: IconName | undefined;
  /** `g` and this letter open it. */
  letter?: string | undefined;
  /** It needs no sign-in. */
  isOpen?: true;
}

/** The groups of the menu, in its order; only administrators see the last one. */
export const MENU = ["Work", "Configure", "Administer"] as const;
export type MenuGroup = (typeof MENU)[number];

/** @param file loads the file of a view. @param name of its component there */
const view = <Name extends string>(
  path: string,
  title: string,
  file: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  [menu, icon, letter]: [group?: MenuGroup, icon?: IconName, letter?: string] = [],
): View => ({ path, title, Shown: later(async () => (await file())[name]), menu, icon, letter });

const account = () => import("./views/account.tsx");
const applications = () => import("./views/applications.tsx");
const changeRequests = () => import("./views/project/change-requests.tsx");
const connect = () => import("./views/connect.tsx");
const deliveries = () => import("./views/deliveries.tsx");
const flag = () => import("./views/flag/flag.tsx");
const flagSettings = () => import("./views/flag/settings.tsx");
const flags = () => import("./views/project/flags.tsx");
const allFlags = () => import("./views/flags.tsx");
const home = () => import("./views/home.tsx");
const importing = () => import("./views/import.tsx");
const instance = () => import("./views/instance.tsx");
const insights = () => import("./views/project/insights.tsx");
const integrations = () => import("./views/integrations.tsx");
const log = () => import("./views/log.tsx");
const members = () => import("./views/project/members.tsx");
const password = () => import("./views/password.tsx");
const people = () => import("./views/people.tsx");
const playground = () => import("./views/playground.tsx");
const projectEnvironments = () => import("./views/project/environments.tsx");
const projectSettings = () => import("./views/project/settings.tsx");
const projects = () => import("./views/projects.tsx");
const reference = () => import("./views/reference.tsx");
const signingIn = () => import("./views/signing-in.tsx");
const tokens = () => import("./views/tokens.tsx");
const types = () => import("./views/types.tsx");
const usage = () => import("./views/flag/usage.tsx");
const vocabulary = () => import("./views/vocabulary.tsx");

const PROJECT = "/projects/:projectId";
const FLAG = `${PROJECT}/features/:featureName`;

/** All views, in the order of the menu. */
export const VIEWS: readonly View[] = [
  view("/", "Home", home, "Home", ["Work", "home", "h"]),
  view("/projects", "Projects", projects, "Projects", ["Work", "project", "p"]),
  view("/flags", "Flags", allFlags, "AllFlags", ["Work", "flag", "f"]),
  view(PROJECT, "Flags", flags, "Flags"),
  view(`${PROJECT}/insights`, "Insights", insights, "Insights"),
  view(`${PROJECT}/change-requests`, "Change requests", changeRequests, "ChangeRequests"),
  view(`${PROJECT}/change-requests/:id`, "Change request", changeRequests, "ChangeRequestView"),
  view(`${PROJECT}/people`, "Members", members, "Members"),
  view(`${PROJECT}/environments`, "Environments", projectEnvironments, "Environments"),
  view(`${PROJECT}/tokens`, "Tokens", tokens, "ProjectTokens"),
  view(`${PROJECT}/archive`, "Archive", projectSettings, "Archive"),
  view(`${PROJECT}/settings`, "Settings", projectSettings, "Settings"),
  view(FLAG, "Flag", flag, "Overview"),
  view(`${FLAG}/use`, "Usage", usage, "Usage"),
  view(`${FLAG}/log`, "Log", flagSettings, "Log"),
  view(`${FLAG}/settings`, "Settings", flagSettings, "Settings"),
  view("/events", "Event log", log, "EventLog", ["Work", "log", "e"]),
  view("/playground", "Playground", playground, "Playground", ["Work", "play", "y"]),
  view("/applications", "Applications", applications, "Applications", ["Work", "application", "a"]),
  view("/applications/:appName", "Application", applications, "Application"),
  view("/connect", "Connect", connect, "Connect"),
  view("/integrations", "Integrations", integrations, "Integrations", ["Configure", "integration", "i"]),
  view("/integrations/:id", "Deliveries", deliveries, "Deliveries"),
  view("/segments", "Segments", vocabulary, "Segments", ["Configure", "segment", "s"]),
  view("/environments", "Environments", types, "Environments", ["Configure", "environment"]),
  view("/context-fields", "Context fields", vocabulary, "ContextFields", ["Configure", "context", "c"]),
  view("/tag-types", "Tag types", types, "TagTypes", ["Configure", "tag"]),
  view("/strategy-types", "Strategy types", types, "StrategyTypes", ["Configure", "strategy"]),
  view("/tokens", "Tokens", tokens, "Tokens", ["Configure", "key", "t"]),
  { ...view("/docs", "API", reference, "Reference", ["Configure", "api"]), isOpen: true },
  view("/people", "People", people, "Users", ["Administer", "user", "u"]),
  view("/people/groups", "Groups", people, "Groups"),
  view("/people/roles", "Roles", people, "Roles"),
  view("/people/service-accounts", "Service accounts", people, "ServiceAccounts"),
  view("/people/invitations", "Invitations", people, "Invitations"),
  view("/import", "Import", importing, "Import", ["Administer", "bring"]),
  view("/instance", "Instance", instance, "Instance", ["Administer", "instance"]),
  view("/instance/banners", "Banners", instance, "BannerList"),
  view("/instance/sign-ins", "Sign-ins", instance, "SignIns"),
  view("/instance/signing-in", "Ways to sign in", signingIn, "SigningIn"),
  view("/me", "Your account", account, "Account"),
];

/** Views that are reached by a link and need no sign-in. */
export const PUBLIC_VIEWS: readonly View[] = [
  view("/reset-password", "Set a password", password, "SetPassword"),
  view("/new-user", "Welcome", password, "SetPassword"),
];
