import * as v from "valibot";
import { Timestamp } from "../../validation.ts";

export const ACCOUNT_TYPES = ["User", "Service Account"] as const;

/** A user as the API shows it; what is unset is null or absent, as CONTRACT has it. */
export const User = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  isAPI: v.literal(false),
  name: v.nullable(v.string()),
  email: v.optional(v.string()),
  username: v.nullable(v.string()),
  imageUrl: v.string(),
  inviteLink: v.optional(v.string()),
  loginAttempts: v.pipe(v.number(), v.integer()),
  emailSent: v.optional(v.boolean()),
  rootRole: v.pipe(v.number(), v.integer()),
  seenAt: v.nullable(Timestamp),
  createdAt: Timestamp,
  accountType: v.picklist(ACCOUNT_TYPES),
  scimId: v.optional(v.string()),
});
export type User = v.InferOutput<typeof User>;
