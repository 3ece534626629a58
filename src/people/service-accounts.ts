import * as v from "valibot";
import type { WithAvatar } from "../access/person.ts";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { found } from "../lib/api-error.ts";
import {
  createPersonalToken,
  NewPersonalToken,
  PersonalToken,
  PersonalTokens,
  personalTokens,
  revokePersonalToken,
  TokenId,
} from "./personal-tokens.ts";
import { Role, requireRootRole, rootRoles } from "./roles.ts";
import { FullName, User, UserId, Username } from "./users-schema.ts";
import {
  createUser,
  removeUser,
  requireAnyUser,
  requireFreeUsername,
  updateUser,
  userById,
} from "./users-store.ts";

/** A user account for a program: it has tokens, and nobody can sign in with it. */
export const ServiceAccount = v.strictObject({
  ...v.omit(User, ["accountType", "scimId"]).entries,
  tokens: v.array(PersonalToken),
});

export const ServiceAccounts = v.strictObject({
  serviceAccounts: v.array(ServiceAccount),
  rootRoles: v.array(Role),
});

const AccountName = v.pipe(FullName, v.nonEmpty("must not be empty"));

const RootRole = v.pipe(v.number(), v.safeInteger());
export const NewServiceAccount = v.object({ username: Username, name: AccountName, rootRole: RootRole });

/** A change to a service account; properties that are missing or null stay as they are. */
export const ServiceAccountUpdate = v.object({ name: v.nullish(AccountName), rootRole: v.nullish(RootRole) });

const ofAccounts = {
  tag: "Service accounts",
  path: "/api/admin/service-account",
  permission: "ADMIN",
} as const;

const ofAccount = {
  ...ofAccounts,
  path: `${ofAccounts.path}/:id`,
  params: v.object({ id: UserId }),
  errors: ["NotFoundError"],
  exampleParams: { id: "5", tokenId: "9" },
} as const;

const ofTokens = { ...ofAccount, path: `${ofAccount.path}/token` } as const;

export const listServiceAccounts = GET({
  ...ofAccounts,
  id: "getServiceAccounts",
  summary: "The service accounts with their tokens, and the available root roles",
  response: ServiceAccounts,
}).run(({ db }) => ({
  serviceAccounts: ids(db)
    .all({})
    .map((id) => serviceAccount(db, id)),
  rootRoles: rootRoles(db),
}));

export const createServiceAccount = POST({
  ...ofAccounts,
  id: "createServiceAccount",
  summary: "Create a service account",
  body: NewServiceAccount,
  status: 201,
  errors: ["NameExistsError"],
  records: ["service-account-created"],
  response: ServiceAccount,
  example: { username: "ci", name: "The pipeline", rootRole: 2 },
}).change(({ tx, body: { rootRole: role, ...names } }) => {
  const rootRole = requireRootRole(tx.db, role);
  requireFreeUsername(tx.db, names.username);
  const id = createUser(tx, { ...names, email: null, rootRole, accountType: "Service Account" });
  return new WithHeaders(serviceAccount(tx.db, id), { location: String(id) });
});

export const updateServiceAccount = PUT({
  ...ofAccount,
  id: "updateServiceAccount",
  summary: "Change a service account's name or root role",
  body: ServiceAccountUpdate,
  records: ["service-account-updated"],
  response: ServiceAccount,
  example: { name: "The pipeline" },
}).change(({ tx, params: { id }, body: { name, rootRole } }) => {
  requireServiceAccount(tx.db, id);
  const role = rootRole == null ? undefined : requireRootRole(tx.db, rootRole);
  updateUser(tx, id, { name, rootRole: role });
  return serviceAccount(tx.db, id);
});

export const deleteServiceAccount = DELETE({
  ...ofAccount,
  id: "deleteServiceAccount",
  summary: "Delete a service account, with its tokens and roles",
  records: ["service-account-deleted"],
}).change(({ tx, params: { id } }) => {
  requireServiceAccount(tx.db, id);
  removeUser(tx, id);
});

export const listServiceAccountTokens = GET({
  ...ofTokens,
  id: "getServiceAccountTokens",
  summary: "The tokens of a service account",
  response: PersonalTokens,
}).run(({ db, params: { id } }) => {
  requireServiceAccount(db, id);
  return { pats: personalTokens(db, id) };
});

export const createServiceAccountToken = POST({
  ...ofTokens,
  id: "createServiceAccountToken",
  summary: "Create a token for a service account; its secret is shown only once",
  body: NewPersonalToken,
  status: 201,
  errors: ["NotFoundError", "NameExistsError", "OperationDeniedError"],
  records: ["pat-created"],
  response: PersonalToken,
  example: { description: "The pipeline", expiresAt: "2099-01-31T09:00:00.000Z" },
}).change(({ tx, params: { id }, body }) => {
  requireServiceAccount(tx.db, id);
  return createPersonalToken(tx, id, body);
});

export const deleteServiceAccountToken = DELETE({
  ...ofTokens,
  id: "deleteServiceAccountToken",
  summary: "Revoke a token of a service account",
  path: `${ofTokens.path}/:tokenId`,
  params: v.object({ id: UserId, tokenId: TokenId }),
  records: ["pat-deleted"],
}).change(({ tx, params: { id, tokenId } }) => {
  requireServiceAccount(tx.db, id);
  revokePersonalToken(tx, id, tokenId);
});

/** @throws ApiError `NotFoundError` unless there is a service account with this id; users don't count */
export function requireServiceAccount(db: Database, id: number): User {
  const user = userById(db, id);
  return found(
    user?.accountType === "Service Account" ? user : undefined,
    `service account with the id ${id}`,
  );
}

const ids = valueQuery<object, number>(
  `SELECT id FROM users WHERE account_type = 'Service Account' ORDER BY id`,
);

/** An existing service account, with its tokens. */
function serviceAccount(db: Database, id: number): WithAvatar<v.InferOutput<typeof ServiceAccount>> {
  const { accountType: _, scimId: __, ...account } = requireAnyUser(db, id);
  return { ...account, tokens: personalTokens(db, id) };
}
