import { GET, POST } from "../http/operation.ts";
import { changeSetting, currentSetting, PasswordSettings } from "./instance.ts";

const ofPasswords = {
  tag: "Instance",
  path: "/api/admin/auth/simple/settings",
  permission: { permission: ["ADMIN", "UPDATE_AUTH_CONFIGURATION"] },
  response: PasswordSettings,
} as const;

export const readPasswordSettings = GET({
  ...ofPasswords,
  id: "getSimpleSettings",
  summary: "Whether passwords are switched off",
}).run(({ db }) => currentSetting(db, "unleash.auth.simple"));

export const changePasswordSettings = POST({
  ...ofPasswords,
  id: "setSimpleSettings",
  summary: "Switch passwords off or on; links for signing in, sessions and tokens stay valid",
  body: PasswordSettings,
  records: ["setting-created", "setting-updated"],
}).change(({ tx, body }) => {
  changeSetting(tx, "unleash.auth.simple", body);
  return body;
});
