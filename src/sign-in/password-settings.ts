import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { Count } from "../lib/validation.ts";
import { tiedAdmins } from "../people/identities.ts";
import { changeSetting, currentSetting, PASSWORDS, PasswordSettings } from "../settings/settings.ts";
import { currentProvider, isIssuerAt } from "./oidc-provider.ts";
import { waysOf } from "./oidc-schema.ts";

/** Whether passwords are switched off, and how many Admins can sign in without one: they have done so, with a provider or proxy. */
export const PasswordStatus = v.strictObject({ ...PasswordSettings.entries, adminsWithoutPassword: Count });

const ofPasswords = {
  tag: "Instance",
  path: "/api/admin/auth/simple/settings",
  permission: { permission: ["ADMIN", "UPDATE_AUTH_CONFIGURATION"] },
  response: PasswordStatus,
} as const;

export const readPasswordSettings = GET({
  ...ofPasswords,
  id: "getSimpleSettings",
  summary: "Whether passwords are switched off",
}).run(({ db }) => statusOf(db));

export const changePasswordSettings = POST({
  ...ofPasswords,
  id: "setSimpleSettings",
  summary: "Switch passwords off or on; links for signing in, sessions and tokens stay valid",
  body: PasswordSettings,
  errors: ["ConflictError"],
  records: ["setting-created", "setting-updated"],
  example: { disabled: false },
}).change(({ tx, body }) => {
  changeSetting(tx, PASSWORDS, body);
  requireWayIn(tx.db);
  return statusOf(tx.db);
});

const statusOf = (db: Database) => ({
  ...currentSetting(db, PASSWORDS),
  adminsWithoutPassword: adminsWithoutPassword(db),
});

function adminsWithoutPassword(db: Database) {
  const provider = currentProvider(db);
  const isInUse = (issuer: string) =>
    issuer === "proxy" ? waysOf(db).hasProxy : provider !== undefined && isIssuerAt(issuer, provider);
  return new Set(
    tiedAdmins(db)
      .filter(({ issuer }) => isInUse(issuer))
      .map(({ id }) => id),
  ).size;
}

/** @throws ApiError `ConflictError` if passwords are switched off and no Admin could sign in */
export function requireWayIn(db: Database) {
  if (!currentSetting(db, PASSWORDS).disabled || adminsWithoutPassword(db) > 0) return;
  throw new ApiError(
    "ConflictError",
    "No Admin could sign in without a password: one has to have done so, with the provider or proxy that is in use",
  );
}
