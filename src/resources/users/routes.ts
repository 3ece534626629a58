import * as v from "valibot";
import { ApiError } from "../../http/error.ts";
import { operation } from "../../http/operation.ts";
import { User } from "./schema.ts";
import { userById } from "./store.ts";

export const readUser = operation({
  id: "getUser",
  summary: "A user by id",
  tag: "Users",
  method: "GET",
  path: "/api/admin/user-admin/:id",
  permission: { permission: "ADMIN", unlessOwn: "id" },
  params: v.object({
    id: v.pipe(v.string(), v.regex(/^-?[0-9]+$/, "must be a whole number"), v.transform(Number)),
  }),
  errors: ["NotFoundError"],
  response: User,
}).run(({ db, params: { id } }) => {
  const user = userById(db, id);
  if (!user) throw new ApiError("NotFoundError", `There is no user with this id`);
  return user;
});
