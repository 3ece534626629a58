import * as v from "valibot";
import { Role } from "../roles/schema.ts";
import { PersonalToken } from "../tokens/schema.ts";
import { FullName, User, Username } from "../users/schema.ts";

/** A user account for a program: it has tokens, and nobody can sign in with it. */
export const ServiceAccount = v.strictObject({
  ...v.omit(User, ["accountType", "scimId"]).entries,
  tokens: v.array(PersonalToken),
});
export type ServiceAccount = v.InferOutput<typeof ServiceAccount>;

export const ServiceAccounts = v.strictObject({
  serviceAccounts: v.array(ServiceAccount),
  rootRoles: v.array(Role),
});

const AccountName = v.pipe(FullName, v.nonEmpty("must not be empty"));

const RootRole = v.pipe(v.number(), v.safeInteger());

/** The body that creates a service account. */
export const NewServiceAccount = v.object({
  username: Username,
  name: AccountName,
  rootRole: RootRole,
});

/** A change to a service account; properties that are missing or null stay as they are. */
export const ServiceAccountUpdate = v.object({
  name: v.nullish(AccountName),
  rootRole: v.nullish(RootRole),
});
