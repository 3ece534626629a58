import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword } from "../../src/access/password-hash.ts";
import { cookieOf } from "../sign-in/signing-in.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

/*
 * The requests of the original's page while a user walks through all of it: signs in, looks around, creates a flag,
 * adds a strategy, enables it, visits the administration, and signs out.
 */

const PASSWORD = "Str0ng-Passw0rd!x9";
const passwordHash = await hashPassword(PASSWORD);

const A = "/api/admin";
const PROJECT = `${A}/projects/default`;
const FLAG = `${PROJECT}/features/new-checkout`;
const STRATEGY = {
  name: "flexibleRollout",
  title: "",
  constraints: [],
  parameters: { rollout: "100", stickiness: "default", groupId: "new-checkout" },
  variants: [],
  segments: [],
  disabled: false,
};

/** The page's requests, each with the properties that it reads from the response. */
type Ask = [path: string, ...reads: string[]];

const EVERY_PAGE: Ask[] = [
  [`${A}/user`, "user.id", "permissions.0.permission", "feedback", "splash"],
  [
    `${A}/ui-config`,
    ...["flags", "resourceLimits", "versionInfo.current.oss", "environment", "baseUriPath", "version"],
    ...[
      "authenticationType",
      "maintenanceMode",
      "resourceLimits.featureEnvironmentStrategies",
      "resourceLimits.constraintValues",
      "resourceLimits.apiTokens",
      "resourceLimits.featureFlags",
      "flags.embedProxyFrontend",
      "segmentValuesLimit",
      "strategySegmentsLimit",
      "frontendApiOrigins",
    ],
  ],
  [
    `${A}/projects`,
    "projects.0.id",
    "projects.0.name",
    "projects.0.mode",
    "projects.0.favorite",
    "projects.0.owners",
  ],
  [
    `${PROJECT}/overview`,
    ...["name", "mode", "members", "health", "favorite", "environments.0.environment", "defaultStickiness"],
    ...["featureTypeCounts", "onboardingStatus.status", "featureNaming", "stats"],
  ],
];

const SEARCH = "favoritesFirst=true&sortBy=createdAt&sortOrder=desc";

const BEFORE: Ask[] = [
  [`${A}/environments`, "environments.0.name", "environments.0.enabled", "environments.0.type"],
  [`${A}/user/profile`, "rootRole.name", "projects"],
  [`${A}/context`, "0.name", "0.legalValues", "0.stickiness"],
  [`${A}/personal-dashboard`, "projects", "flags", "projectOwners", "admins.0.id"],
  [
    `${A}/personal-dashboard/default`,
    "latestEvents",
    "onboardingStatus.status",
    "owners.0.ownerType",
    "roles",
  ],
  [`${A}/tags`, "tags"],
  [`${PROJECT}/flag-creators`],
  [`${A}/feature-types`, "types.0.id", "types.0.lifetimeDays"],
  [`${A}/projects?archived=true`, "projects"],
  [`${PROJECT}/features/default/parent-variants`],
  [`${A}/search/features?offset=0&limit=25&${SEARCH}&project=IS:default`, "features", "total"],
  [`${A}/search/features?offset=0&limit=1&${SEARCH}`, "features", "total"],
];

const OF_THE_FLAG: Ask[] = [
  [
    `${FLAG}?variantEnvironments=true`,
    ...["name", "project", "type", "stale", "archived", "favorite", "impressionData", "createdAt"],
    ...[
      "environments.0.name",
      "environments.0.enabled",
      "environments.0.strategies",
      "environments.0.variants",
    ],
    ...["variants", "dependencies", "children", "collaborators.users"],
  ],
  [`${A}/tag-types`, "tagTypes.0.name"],
  [`${A}/tags/simple`, "tags"],
  [`${A}/features/new-checkout/tags`, "tags"],
  [`${FLAG}/parent-variants`],
  [`${PROJECT}/dependencies`],
  [`${A}/client-metrics/features/new-checkout`, "featureName", "lastHourUsage", "seenApplications"],
  [`${A}/client-metrics/features/new-checkout/raw?hoursBack=48`, "data"],
  [`${A}/segments`, "segments"],
  [`${A}/strategies/flexibleRollout`, "name", "parameters.0.name", "editable", "deprecated"],
];

const AFTER: Ask[] = [
  [`${A}/search/events?offset=0&limit=25`, "events.0.id", "events.0.label", "events.0.summary", "total"],
  [`${A}/search/events?offset=0&limit=25&feature=IS:new-checkout`, "events.0.featureName", "total"],
  [`${A}/addons`, "addons", "providers.0.name", "providers.0.parameters.0.name", "providers.0.events.0"],
  [`${A}/invite-link/tokens`, "tokens"],
  [`${A}/user-admin`, "users.0.id", "users.0.rootRole", "rootRoles.0.id"],
  [`${A}/api-tokens`, "tokens.0.secret", "tokens.0.tokenName", "tokens.0.projects"],
  [`${A}/strategies`, "version", "strategies.0.name", "strategies.0.editable"],
  [`${A}/archive/features`, "features"],
  [`${A}/metrics/applications?offset=0&limit=25&sortBy=appName&sortOrder=asc`, "applications", "total"],
  [`${A}/search/features?offset=0&limit=25&${SEARCH}`, "features.0.name", "features.0.environments", "total"],
  [`${A}/search/features?limit=1&${SEARCH}&offset=0`, "features.0.name", "total"],
  [`${A}/user/tokens`, "pats"],
  [
    `${A}/instance-admin/statistics`,
    "users",
    "featureToggles",
    "versionOSS",
    "instanceId",
    "activeUsers.last30",
  ],
  [`${A}/environments/project/default`, "environments.0.name", "environments.0.projectApiTokenCount"],
  [`${A}/maintenance`, "enabled"],
];

const at = (body: unknown, path: string) =>
  path
    .split(".")
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

test("the original's page gets the responses it expects, from signing in to signing out", async (t) => {
  const nina = { username: "nina", email: "nina@example.com", rootRole: 1, passwordHash };
  const { request } = await openServer(
    t,
    createWorld()
      .add("contextField", { name: "userId" })
      .project("default")
      .user(nina)
      .member("default", 5, 4),
  );
  const asked = await request(`${A}/ui-config`, { as: null });
  assert.equal(asked.status, 401);
  for (const key of ["type", "path", "message", "defaultHidden"]) assert.ok(key in asked.body, key);
  const body = { username: "nina", password: PASSWORD };
  const signedIn = await request("/auth/simple/login", { method: "POST", as: null, body });
  assert.equal(signedIn.status, 200);
  const browser = {
    cookie: cookieOf(signedIn.headers),
    "sec-fetch-site": "same-origin",
    "sec-fetch-mode": "cors",
  };
  const send = (method: string, path: string, sent?: unknown) =>
    request(path, { method, as: null, headers: browser, ...(sent !== undefined && { body: sent }) });
  const look = async (asks: readonly Ask[]) => {
    for (const [path, ...reads] of asks) {
      const { status, body, headers } = await send("GET", path);
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
      for (const read of reads) assert.notEqual(at(body, read), undefined, `${path} has ${read}`);
      const known = { ...browser, "if-none-match": headers.get("etag")! };
      assert.equal((await request(path, { as: null, headers: known })).status, 304, path);
    }
  };
  const change = async (method: string, path: string, sent: unknown, status: number) =>
    assert.equal((await send(method, path, sent)).status, status, path);
  await look(EVERY_PAGE);
  await look(BEFORE);
  await change("POST", `${A}/splash/personalDashboardKeyConcepts`, undefined, 200);
  await change("POST", `${A}/features/validate`, { name: "new-checkout", projectId: "default" }, 200);
  const flag = { name: "new-checkout", type: "release", description: "", impressionData: false, tags: [] };
  await change("POST", `${PROJECT}/features`, flag, 201);
  await look(OF_THE_FLAG);
  await change("POST", `${FLAG}/environments/development/strategies`, STRATEGY, 200);
  await change(
    "POST",
    `${FLAG}/environments/development/on?shouldActivateDisabledStrategies=false`,
    undefined,
    200,
  );
  await look(EVERY_PAGE);
  await look(OF_THE_FLAG);
  await look(AFTER);
  const archived = await send("GET", `${A}/projects/undefined/overview`);
  assert.deepEqual([archived.status, archived.body.name], [404, "NotFoundError"]);
  const gone = await send("POST", "/logout");
  assert.deepEqual([gone.status, gone.headers.get("location")], [302, "/"]);
  assert.equal((await send("GET", `${A}/user`)).status, 401);
});
