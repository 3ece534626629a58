import * as v from "valibot";
import { kind, LineError } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { LIMITS } from "../lib/limits.ts";
import { OwnPath } from "../lib/raw-json.ts";
import { MASK } from "../lib/text.ts";
import { check, JsonObject, ShortText } from "../lib/validation.ts";
import { ORIGINAL, VERSION } from "../lib/version.ts";
import { OidcSettings, waysOf } from "./oidc-schema.ts";

/** The configuration of the original's page; what Flagstone lacks is off. */
export const UiConfig = v.strictObject({
  name: v.string(),
  slogan: v.string(),
  environment: v.string(),
  version: v.string(),
  versionInfo: v.strictObject({
    current: v.strictObject({ oss: v.string(), enterprise: v.string() }),
    latest: v.strictObject({}),
    isLatest: v.boolean(),
    instanceId: v.string(),
  }),
  unleashUrl: v.string(),
  baseUriPath: v.string(),
  authenticationType: v.literal("open-source"),
  emailEnabled: v.boolean(),
  disablePasswordAuth: v.boolean(),
  oidcConfiguredThroughEnv: v.boolean(),
  maintenanceMode: v.boolean(),
  networkViewEnabled: v.boolean(),
  unleashAIAvailable: v.boolean(),
  frontendApiOrigins: v.array(v.string()),
  segmentValuesLimit: v.number(),
  strategySegmentsLimit: v.number(),
  flags: v.record(v.string(), v.boolean()),
  resourceLimits: v.record(v.string(), v.number()),
});

/** An error that a page reports. */
export const UiError = v.object({ errorMessage: ShortText, errorStack: v.optional(v.string()) });

export const readUiConfig = GET({
  id: "getUiConfig",
  summary: "The configuration of the web page",
  tag: "Instance",
  path: "/api/admin/ui-config",
  permission: null,
  response: UiConfig,
}).run(({ db }) => {
  const { enabled: maintenanceMode } = currentSetting(db, "maintenance.mode");
  const { disabled: disablePasswordAuth } = currentSetting(db, "unleash.auth.simple");
  return {
    ...FIXED,
    versionInfo: {
      current: { oss: ORIGINAL, enterprise: approvesAnywhere(db).get({}) ? ORIGINAL : "" },
      latest: {},
      isLatest: true,
      instanceId: instanceId(db),
    },
    unleashUrl: new OwnPath(""),
    baseUriPath: "",
    disablePasswordAuth,
    oidcConfiguredThroughEnv: waysOf(db).oidc !== undefined,
    maintenanceMode,
    frontendApiOrigins: currentSetting(db, "unleash.frontend").frontendApiOrigins,
    flags: { ...SHOWN, maintenanceMode },
  };
});

/** Parts of the original's page that a flag shows: frontend tokens and CORS, and the import and export of flags. */
const SHOWN = { embedProxy: true, embedProxyFrontend: true, featuresExportImport: true };

/** Further limits that the original's page computes with; here they limit nothing. */
const UNENFORCED = {
  environments: 50,
  projects: 500,
  apiTokens: 2000,
  featureFlags: 5000,
  signalEndpoints: 5,
  signalTokensPerEndpoint: 5,
  actionSetsPerProject: 5,
  actionSetActions: 10,
  actionSetFilters: 5,
  actionSetFilterValues: 25,
};

/** The part that never changes. */
const FIXED = {
  name: "Flagstone",
  slogan: VERSION,
  environment: "Open Source",
  version: ORIGINAL,
  authenticationType: "open-source",
  emailEnabled: false,
  networkViewEnabled: false,
  unleashAIAvailable: false,
  segmentValuesLimit: LIMITS.segmentValues,
  strategySegmentsLimit: LIMITS.strategySegments,
  resourceLimits: { ...LIMITS, ...UNENFORCED },
} as const;

/** Only then does the original's page show change requests. */
const approvesAnywhere = query<object>(
  `SELECT 1 FROM project_environments WHERE required_approvals IS NOT NULL LIMIT 1`,
);

const instance = valueQuery<object, string>(`SELECT content ->> 'id' FROM settings WHERE name = 'instance'`);

/** The id of this data file, a UUID generated when it was created. */
export const instanceId = (db: Database): string => instance(db).get({})!;

export const readTelemetry = GET({
  id: "getTelemetrySettings",
  summary: "The telemetry settings; none is ever sent",
  tag: "Instance",
  path: "/api/admin/telemetry/settings",
  permission: null,
  response: v.strictObject({
    versionInfoCollectionEnabled: v.literal(false),
    featureInfoCollectionEnabled: v.literal(false),
  }),
}).run(() => ({ versionInfoCollectionEnabled: false, featureInfoCollectionEnabled: false }));

export const recordUiError = POST({
  id: "uiObservability",
  summary: "Report an error in a page; it is not stored",
  tag: "Instance",
  path: "/api/admin/record-ui-error",
  permission: null,
  body: UiError,
  status: 204,
  example: { errorMessage: "The list stays empty" },
}).run(() => undefined);

/** The origin of pages that may request flags, such as `https://example.com`, or `*` for any. */
const Origin = v.pipe(
  ShortText,
  v.check((text) => text === "*" || isOrigin(text), "must be * or an origin such as https://example.com"),
);

function isOrigin(text: string) {
  const url = URL.parse(text);
  return url !== null && url.origin === text.toLowerCase();
}

export const FrontendSettings = v.object({ frontendApiOrigins: v.array(Origin) });

/** The part of the page's configuration that can be set; without any, the response is a 404 (original). */
export const NewUiConfig = v.object({ frontendSettings: v.optional(FrontendSettings) });

/** While it is enabled, changes are refused; reads continue. */
export const Maintenance = v.object({ enabled: v.boolean() });

/** Whether passwords are switched off: nobody signs in with one. */
export const PasswordSettings = v.object({ disabled: v.boolean() });

/** The settings, under the original's names. */
interface Settings {
  "unleash.frontend": v.InferOutput<typeof FrontendSettings>;
  "maintenance.mode": v.InferOutput<typeof Maintenance>;
  "unleash.auth.simple": v.InferOutput<typeof PasswordSettings>;
  "unleash.enterprise.auth.oidc": OidcSettings;
}

const DEFAULTS: Settings = {
  "unleash.frontend": { frontendApiOrigins: ["*"] },
  "maintenance.mode": { enabled: false },
  "unleash.auth.simple": { disabled: false },
  "unleash.enterprise.auth.oidc": v.parse(OidcSettings, {}),
};

const ofOrigins = {
  summary: "Set the origins from which pages may request flags",
  tag: "Instance",
  path: "/api/admin/ui-config",
  permission: { permission: ["ADMIN", "UPDATE_CORS"] },
  status: 204,
  errors: ["NotFoundError"],
  records: ["setting-created", "setting-updated"],
} as const;

export const changeUiConfig = POST({
  ...ofOrigins,
  id: "setUiConfig",
  body: NewUiConfig,
  example: { frontendSettings: { frontendApiOrigins: ["https://shop.example"] } },
}).change(({ tx, body: { frontendSettings } }) => {
  if (!frontendSettings)
    throw new ApiError("NotFoundError", "body.frontendSettings: there is nothing to set");
  changeSetting(tx, "unleash.frontend", frontendSettings);
});

export const changeCors = POST({
  ...ofOrigins,
  id: "setCors",
  path: `${ofOrigins.path}/cors`,
  body: v.partial(FrontendSettings),
  example: { frontendApiOrigins: ["https://shop.example"] },
}).change(({ tx, body: { frontendApiOrigins } }) => {
  if (!frontendApiOrigins)
    throw new ApiError("NotFoundError", "body.frontendApiOrigins: there is nothing to set");
  changeSetting(tx, "unleash.frontend", { frontendApiOrigins });
});

export const readMaintenance = GET({
  id: "getMaintenance",
  summary: "Whether maintenance mode is on",
  tag: "Instance",
  path: "/api/admin/maintenance",
  permission: { permission: ["ADMIN", "UPDATE_MAINTENANCE_MODE"] },
  response: Maintenance,
}).run(({ db }) => currentSetting(db, "maintenance.mode"));

export const changeMaintenance = POST({
  id: "toggleMaintenance",
  summary: "Switch maintenance mode on or off",
  tag: "Instance",
  path: "/api/admin/maintenance",
  permission: { permission: ["ADMIN", "UPDATE_MAINTENANCE_MODE"] },
  body: Maintenance,
  status: 204,
  duringMaintenance: true,
  records: ["setting-created", "setting-updated"],
  example: { enabled: true },
}).change(({ tx, body }) => changeSetting(tx, "maintenance.mode", body));

/** @throws ApiError `ServiceUnavailableError` while changes are refused for maintenance */
export function requireNoMaintenance(db: Database) {
  if (!currentSetting(db, "maintenance.mode").enabled) return;
  throw new ApiError(
    "ServiceUnavailableError",
    "The server is in maintenance mode: changes are refused until it ends",
    { headers: { "retry-after": "60" }, isLogged: false },
  );
}

/** The stored value of a setting, or else the default. */
export const currentSetting = <N extends keyof Settings>(db: Database, name: N): Settings[N] =>
  storedSetting(db, name) ?? DEFAULTS[name];

/** Stores a setting, and records it. */
export function changeSetting<N extends keyof Settings>(tx: Tx, name: N, value: Settings[N]) {
  const before = storedSetting(tx.db, name);
  storeSetting(tx, name, value);
  const type = before === undefined ? "setting-created" : "setting-updated";
  tx.record({
    type,
    data: { id: name, ...masked<object>(value) },
    ...(before && { preData: { ...masked(before) } }),
  });
}

/** Stores a setting whose meaning is the same. */
export const storeSetting = <N extends keyof Settings>(tx: Tx, name: N, value: Settings[N]) =>
  void store(tx).run({ name, content: JSON.stringify(value) });

/** A setting whose secret is masked, if it has one. */
export const masked = <T extends object>(value: T): T =>
  "secret" in value && value.secret !== "" ? { ...value, secret: MASK } : value;

/** Undefined if it was never set. */
function storedSetting<N extends keyof Settings>(db: Database, name: N): Settings[N] | undefined {
  const content = contentOf(db).get({ name });
  return content === undefined ? undefined : JSON.parse(content);
}

const contentOf = valueQuery<{ name: string }, string>(`SELECT content FROM settings WHERE name = :name`);

const store = command<{ name: string; content: string }>(`
  INSERT INTO settings (name, content) VALUES (:name, :content)
  ON CONFLICT DO UPDATE SET content = :content`);

/** The settings that a dataset may contain. A copy is a different file: it has its own id, and its own provider. */
const CONTENTS = {
  "unleash.frontend": v.strictObject(FrontendSettings.entries),
  "maintenance.mode": v.strictObject(Maintenance.entries),
  "unleash.auth.simple": v.strictObject(PasswordSettings.entries),
};

const insert = command<{ name: string; content: string }>(`
  INSERT INTO settings (name, content) VALUES (:name, :content)`);

const all = query<object, { name: string; content: string }>(`
  SELECT name, content FROM settings WHERE name IN ('unleash.frontend', 'maintenance.mode', 'unleash.auth.simple')
  ORDER BY name`);

// Providers and the file's own id stay; a custom role's id may be that of another one from now on.
const removeAll = [
  command<object>(`DELETE FROM settings WHERE name NOT IN ('instance', 'unleash.enterprise.auth.oidc')`),
  command<object>(`
    UPDATE settings SET content = json_remove(content, '$.defaultRootRoleId', '$.defaultRootRole')
    WHERE name = 'unleash.enterprise.auth.oidc' AND content ->> 'defaultRootRoleId' NOT IN (SELECT id FROM roles)`),
];

export const setting = kind({
  name: "setting",
  schema: v.strictObject({
    name: v.picklist(["unleash.frontend", "maintenance.mode", "unleash.auth.simple"]),
    content: JsonObject,
  }),
  clear(tx) {
    for (const remove of removeAll) remove(tx).run({});
  },
  insert({ tx }, { name, content }) {
    const checked = check<v.GenericSchema>(CONTENTS[name], content, "content");
    if (checked.violations) {
      const [{ path, message }] = checked.violations;
      throw new LineError(`${path}: ${message}`);
    }
    insert(tx).run({ name, content: JSON.stringify(checked.value) });
  },
  rows: (db) => all(db).iterate({}),
});
