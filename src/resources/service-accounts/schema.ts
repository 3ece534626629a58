import * as v from "valibot";
import { NonEmptyText } from "../../validation.ts";
import { Role } from "../roles/schema.ts";
import { PersonalToken } from "../tokens/schema.ts";
import { User, Username } from "../users/schema.ts";

/** A user that is a program: nobody signs in as one, it has tokens. */
export const ServiceAccount = v.strictObject({
  ...v.omit(User, ["accountType", "scimId"]).entries,
  tokens: v.array(PersonalToken),
});
export type ServiceAccount = v.InferOutput<typeof ServiceAccount>;

export const ServiceAccounts = v.strictObject({
  serviceAccounts: v.array(ServiceAccount),
  rootRoles: v.array(Role),
});

const RootRole = v.pipe(v.number(), v.safeInteger());

/** What a new service account is made of. */
export const NewServiceAccount = v.object({
  username: Username,
  name: NonEmptyText,
  rootRole: RootRole,
});

/** What is to be changed of a service account; what is left out or null stays. */
export const ServiceAccountUpdate = v.object({
  name: v.nullish(NonEmptyText),
  rootRole: v.nullish(RootRole),
});
