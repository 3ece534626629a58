import * as v from "valibot";
import { Role } from "../roles/schema.ts";
import { User } from "../users/schema.ts";

/** The user whose password a link sets, and who created the link. */
export const OpenReset = v.strictObject({
  ...v.pick(User, ["id", "name", "username", "email"]).entries,
  token: v.string(),
  createdBy: v.string(),
  role: Role,
});
