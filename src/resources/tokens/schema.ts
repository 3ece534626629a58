import * as v from "valibot";
import { FutureTime, NonEmptyText, Timestamp } from "../../validation.ts";

/** A personal token; its secret is in the answer that makes it, and in no other. */
export const PersonalToken = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  secret: v.optional(v.string()),
  description: v.string(),
  userId: v.pipe(v.number(), v.integer()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  seenAt: v.nullable(Timestamp),
});

/** What a new personal token is made of. */
export const NewPersonalToken = v.object({ description: NonEmptyText, expiresAt: FutureTime });
