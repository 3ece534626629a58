import { ApiError } from "../../http/error.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { changeSetting } from "./changes.ts";
import { Maintenance, NewUiConfig } from "./schema.ts";
import { setting } from "./store.ts";

export const changeUiConfig = operation({
  id: "setUiConfig",
  summary: "Say from where pages may ask for flags",
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
  summary: "Whether changes are refused for maintenance",
  tag: "Instance",
  method: "GET",
  path: "/api/admin/maintenance",
  permission: "ADMIN",
  response: Maintenance,
}).run(({ db }) => setting(db, "maintenance.mode"));

export const changeMaintenance = operation({
  id: "toggleMaintenance",
  summary: "Refuse changes for maintenance, or take them again",
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
