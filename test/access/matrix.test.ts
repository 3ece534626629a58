import assert from "node:assert/strict";
import { test } from "node:test";
import type { Need } from "../../src/access/require-permission.ts";
import type { Operation } from "../../src/http/operation.ts";
import type { ErrorBody } from "../../src/lib/api-error.ts";
import { SURFACES } from "../../src/server/surfaces.ts";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal, SERVICE } from "../support/world.ts";

/*
 * Every operation of the admin API × every caller × every project mode. The required permissions come from the contracts;
 * who has which, and where, is restated here. The server is in maintenance mode, which tells callers who may make a
 * change from those who may not, without changing anything.
 */

const ADMIN_API = SURFACES.find(({ prefix }) => prefix === "/api/admin")!.operations;

/** What an Editor has and a Viewer lacks: instance-wide, and in the project `default`. */
const EDITOR = words(`
  CREATE_STRATEGY UPDATE_STRATEGY DELETE_STRATEGY CREATE_ADDON UPDATE_ADDON DELETE_ADDON UPDATE_APPLICATION
  CREATE_TAG_TYPE UPDATE_TAG_TYPE DELETE_TAG_TYPE CREATE_PROJECT CREATE_CONTEXT_FIELD UPDATE_CONTEXT_FIELD
  DELETE_CONTEXT_FIELD CREATE_SEGMENT UPDATE_SEGMENT DELETE_SEGMENT READ_CLIENT_API_TOKEN READ_FRONTEND_API_TOKEN`);

/** What a Member has in the project, and an Editor in the project `default`. */
const MEMBER = words(`
  CREATE_FEATURE UPDATE_FEATURE DELETE_FEATURE UPDATE_FEATURE_VARIANTS READ_PROJECT_API_TOKEN CREATE_PROJECT_API_TOKEN
  DELETE_PROJECT_API_TOKEN UPDATE_FEATURE_DEPENDENCY CREATE_FEATURE_STRATEGY UPDATE_FEATURE_STRATEGY
  DELETE_FEATURE_STRATEGY UPDATE_FEATURE_ENVIRONMENT UPDATE_FEATURE_ENVIRONMENT_VARIANTS`);

/** What an Owner, and an Editor of `default`, has in addition. */
const UPKEEP = words("UPDATE_PROJECT DELETE_PROJECT MOVE_FEATURE_TOGGLE");

/** What only an Owner has in addition. */
const OWNER = words(`
  UPDATE_PROJECT_CONTEXT UPDATE_PROJECT_SEGMENT PROJECT_USER_ACCESS_READ PROJECT_DEFAULT_STRATEGY_READ PROJECT_SETTINGS_READ
  PROJECT_USER_ACCESS_WRITE PROJECT_DEFAULT_STRATEGY_WRITE PROJECT_SETTINGS_WRITE`);

function words(text: string) {
  return text.trim().split(/\s+/);
}

/** The callers: what they have instance-wide, and in the project, possibly in a single environment. */
interface Who {
  token: string;
  instance?: string[];
  project?: string[];
  onlyIn?: { environment: string; permissions: string[] };
  isMember?: true;
  has?: "everything";
}

const whoIn = (project: string): Record<string, Who> => ({
  "an Admin": { token: personal(1), has: "everything" },
  "a service token": { token: SERVICE, has: "everything" },
  "an Editor": {
    token: personal(2),
    instance: EDITOR,
    ...(project === "default" && { project: [...MEMBER, ...UPKEEP] }),
  },
  "a Viewer": { token: personal(3) },
  "an Owner": { token: personal(4), project: [...MEMBER, ...UPKEEP, ...OWNER], isMember: true },
  "a Member": { token: personal(5), project: MEMBER, isMember: true },
  "a custom role": {
    token: personal(6),
    project: ["UPDATE_FEATURE"],
    onlyIn: { environment: "development", permissions: ["UPDATE_FEATURE_ENVIRONMENT"] },
    isMember: true,
  },
  "a custom root role": { token: personal(7), instance: CUSTOM_ROOT },
});

const CUSTOM_ROOT = words(`
  CREATE_SEGMENT READ_LOGS UPDATE_CORS UPDATE_INSTANCE_BANNERS UPDATE_MAINTENANCE_MODE`);

const CUSTOM = [
  { name: "UPDATE_FEATURE" },
  { name: "UPDATE_FEATURE_ENVIRONMENT", environment: "development" },
];

const worldOf = (project: string, mode: string) =>
  createWorld()
    .add("role", { id: 8, name: "custom", type: "custom", permissions: CUSTOM })
    .add("role", {
      id: 9,
      name: "root",
      type: "custom-root",
      permissions: CUSTOM_ROOT.map((name) => ({ name })),
    })
    .user()
    .user()
    .user({ rootRole: 9 })
    .project(project, { mode })
    .member(project, 4, 4)
    .member(project, 5, 5)
    .member(project, 6, 8)
    .feature("f", project)
    .add("segment", { id: 1, name: "s", project, constraints: [], createdAt: "2026-01-01T00:00:00.000Z" })
    .add("setting", { name: "maintenance.mode", content: { enabled: true } });

/** Whether the caller has access, by the rules above. */
function may(
  who: Who,
  { permission }: Operation,
  { mode, environment }: { mode: string; environment: string },
) {
  if (who.has === "everything" || permission === null) return true;
  const need: Need = typeof permission === "string" ? { permission } : permission;
  const isHidden = mode === "private" && !who.isMember;
  if (need.project && isHidden) return false;
  // A flag or a segment that the caller can't see is as good as unknown.
  const isInProject = Boolean(need.project ?? need.feature ?? need.segment) && !isHidden;
  const { permission: asked = [] } = need;
  const wanted = [asked].flat() as string[];
  const inEnvironment =
    need.environment && who.onlyIn?.environment === environment ? who.onlyIn.permissions : [];
  const had = [...(who.instance ?? []), ...(isInProject ? [...(who.project ?? []), ...inEnvironment] : [])];
  return wanted.length === 0 || wanted.some((name) => had.includes(name));
}

/** A path that names existing rows, according to the contract's parameters. */
function pathIn(project: string, environment: string, { path, permission }: Operation) {
  const need: Need = typeof permission === "object" && permission !== null ? permission : {};
  const known: Record<string, string> = {
    ...(need.project && { [need.project]: project }),
    ...(need.feature && { [need.feature]: "f" }),
    environment,
  };
  return path.replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? "1");
}

const PLACES = [
  { project: "a", mode: "open" },
  { project: "a", mode: "protected" },
  { project: "a", mode: "private" },
  { project: "default", mode: "protected" },
];

/** Things that each user has for themselves. */
const isPersonal = ({ path }: Operation) => path.startsWith("/api/admin/user/");

/** Callers without access to any operation. */
const OUTSIDERS = [
  ["nobody", null, 401],
  ["an unknown token", `${personal(1)}0`, 401],
  ["a backend application", CLIENT, 403],
  ["a page", FRONTEND, 403],
] as const;

/** The permissions of which the caller needs one. */
const namesOf = ({ permission }: Operation): string[] =>
  [typeof permission === "object" ? (permission?.permission ?? []) : permission].flat();

/** Describes each response that is not as expected. */
async function mistakes(app: App, project: string, mode: string, operation: Operation): Promise<string[]> {
  const ask = askerIn(app, project, operation);
  const found: string[] = [];
  const compare = (who: string, status: number, isRight: boolean) => {
    if (!isRight) found.push(`${operation.id} by ${who}: ${status}`);
  };
  for (const [name, token, expected] of OUTSIDERS) {
    const { status } = await ask(token, "development");
    compare(name, status, status === expected);
  }
  for (const [name, who] of Object.entries(whoIn(project))) {
    if (who.token === SERVICE && isPersonal(operation)) continue;
    for (const environment of operation.path.includes(":environment")
      ? ["development", "production"]
      : [""]) {
      const { status, message } = await ask(who.token, environment);
      const isAllowed = may(who, operation, { mode, environment });
      const isSaid =
        (mode === "private" && !who.isMember) || namesOf(operation).every((name) => message.includes(name));
      const isRight = isAllowed ? isLetIn(operation, status) : status === 403 && isSaid;
      compare(`${name} in ${environment}`, status, isRight);
    }
  }
  return found;
}

/** A change has a known status, since maintenance mode refuses it. */
const isLetIn = ({ changes, duringMaintenance }: Operation, status: number) =>
  changes && !duringMaintenance ? status === 503 : status !== 403;

type App = Awaited<ReturnType<typeof openServer>>["app"];

/** Requests the operation; a 401 or 403 for another reason than the caller's access does not count. */
const askerIn =
  (app: App, project: string, operation: Operation) => async (token: string | null, environment: string) => {
    const { method, body } = operation;
    const headers = { "content-type": "application/json", ...(token !== null && { authorization: token }) };
    const init = { method, headers, ...(body && { body: "{}" }) };
    const response = await app.request(pathIn(project, environment, operation), init);
    const { status } = response;
    if (status !== 401 && status !== 403) return { status, message: "" };
    const { name, message } = (await response.json()) as ErrorBody;
    return { status: ["NoAccessError", "AuthenticationRequired"].includes(name) ? status : 200, message };
  };

for (const { project, mode } of PLACES) {
  test(`access to every operation in the ${mode} project ${project}`, async (t) => {
    const { app } = await openServer(t, worldOf(project, mode));
    const found = [];
    for (const operation of ADMIN_API) found.push(...(await mistakes(app, project, mode, operation)));
    assert.deepEqual(found, []);
  });
}
