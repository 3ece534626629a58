import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { requireRootRole, rootRoles } from "../roles/require.ts";
import { createUser, removeUser, updateUser } from "../users/changes.ts";
import { requireFreeUsername } from "../users/require.ts";
import { UserId } from "../users/schema.ts";
import { requireServiceAccount } from "./require.ts";
import { NewServiceAccount, ServiceAccount, ServiceAccounts, ServiceAccountUpdate } from "./schema.ts";
import { serviceAccount, serviceAccounts } from "./store.ts";

const ACCOUNTS = "/api/admin/service-account";

const ofAccount = {
  tag: "Service accounts",
  path: `${ACCOUNTS}/:id`,
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  errors: ["NotFoundError"],
} as const;

export const listServiceAccounts = operation({
  id: "getServiceAccounts",
  summary: "The service accounts with their tokens, and the available root roles",
  tag: "Service accounts",
  method: "GET",
  path: ACCOUNTS,
  permission: "ADMIN",
  response: ServiceAccounts,
}).run(({ db }) => snapshot(db, () => ({ serviceAccounts: serviceAccounts(db), rootRoles: rootRoles(db) })));

export const createServiceAccount = operation({
  id: "createServiceAccount",
  summary: "Create a service account",
  tag: "Service accounts",
  method: "POST",
  path: ACCOUNTS,
  permission: "ADMIN",
  body: NewServiceAccount,
  status: 201,
  errors: ["NameExistsError"],
  records: ["service-account-created"],
  response: ServiceAccount,
}).change(({ tx, body: { rootRole: role, ...names } }) => {
  const rootRole = requireRootRole(tx.db, role);
  requireFreeUsername(tx.db, names.username);
  const id = createUser(tx, { ...names, email: null, rootRole, accountType: "Service Account" });
  return new WithHeaders(serviceAccount(tx.db, id), { location: String(id) });
});

export const updateServiceAccount = operation({
  ...ofAccount,
  id: "updateServiceAccount",
  summary: "Change a service account's name or root role",
  method: "PUT",
  body: ServiceAccountUpdate,
  records: ["service-account-updated"],
  response: ServiceAccount,
}).change(({ tx, params: { id }, body: { name, rootRole } }) => {
  requireServiceAccount(tx.db, id);
  const role = rootRole == null ? undefined : requireRootRole(tx.db, rootRole);
  updateUser(tx, id, { name, rootRole: role });
  return serviceAccount(tx.db, id);
});

export const deleteServiceAccount = operation({
  ...ofAccount,
  id: "deleteServiceAccount",
  summary: "Delete a service account, with its tokens and roles",
  method: "DELETE",
  records: ["service-account-deleted"],
  response: NoBody,
}).change(({ tx, params: { id } }) => {
  requireServiceAccount(tx.db, id);
  removeUser(tx, id);
});
