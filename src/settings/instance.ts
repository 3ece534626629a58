import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { ShortText } from "../lib/validation.ts";
import {
  changeSetting,
  currentSetting,
  FrontendSettings,
  MAINTENANCE,
  Maintenance,
  ORIGINS,
} from "./settings.ts";

/** An error that a page reports. */
export const UiError = v.object({ errorMessage: ShortText, errorStack: v.optional(v.string()) });

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

/**
 * The part of the page's configuration that can be set; without any, the response is a 404 (original). The whole is read
 * in overview/ui-config.ts.
 */
export const NewUiConfig = v.object({ frontendSettings: v.optional(FrontendSettings) });

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
  changeSetting(tx, ORIGINS, frontendSettings);
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
  changeSetting(tx, ORIGINS, { frontendApiOrigins });
});

export const readMaintenance = GET({
  id: "getMaintenance",
  summary: "Whether maintenance mode is on",
  tag: "Instance",
  path: "/api/admin/maintenance",
  permission: { permission: ["ADMIN", "UPDATE_MAINTENANCE_MODE"] },
  response: Maintenance,
}).run(({ db }) => currentSetting(db, MAINTENANCE));

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
}).change(({ tx, body }) => changeSetting(tx, MAINTENANCE, body));

/** @throws ApiError `ServiceUnavailableError` while changes are refused for maintenance */
export function requireNoMaintenance(db: Database) {
  if (!currentSetting(db, MAINTENANCE).enabled) return;
  throw new ApiError(
    "ServiceUnavailableError",
    "The server is in maintenance mode: changes are refused until it ends",
    { headers: { "retry-after": "60" }, isLogged: false },
  );
}
