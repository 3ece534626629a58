import { NoBody, operation } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import { changeSetting } from "./changes.ts";
import { Maintenance, NewUiConfig } from "./schema.ts";
import { setting } from "./store.ts";

export const changeUiConfig = operation({
  id: "setUiConfig",
  summary: "Set the origins from which pages may request flags",
  tag: "Instance",
  method: "POST",
  path: "/api/admin/ui-config",
  permission: "ADMIN",
  body: NewUiConfig,
  status: 204,
  errors: ["NotFoundError"],
  records: ["setting-created", "setting-updated"],
  response: NoBody,
}).change(({ tx, body: { frontendSettings } }) => {
  if (!frontendSettings)
    throw new ApiError("NotFoundError", "body.frontendSettings: there is nothing to set");
  changeSetting(tx, "unleash.frontend", frontendSettings);
});

export const readMaintenance = operation({
  id: "getMaintenance",
  summary: "Whether maintenance mode is on",
  tag: "Instance",
  method: "GET",
  path: "/api/admin/maintenance",
  permission: "ADMIN",
  response: Maintenance,
}).run(({ db }) => setting(db, "maintenance.mode"));

export const changeMaintenance = operation({
  id: "toggleMaintenance",
  summary: "Switch maintenance mode on or off",
  tag: "Instance",
  method: "POST",
  path: "/api/admin/maintenance",
  permission: "ADMIN",
  body: Maintenance,
  status: 204,
  duringMaintenance: true,
  records: ["setting-created", "setting-updated"],
  response: NoBody,
}).change(({ tx, body }) => changeSetting(tx, "maintenance.mode", body));
