import * as v from "valibot";
import { hashPassword } from "../../auth/password.ts";
import { ApiError } from "../../http/error.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireFreeNames, requireGoodPassword, requireRootRole } from "./require.ts";
import { CreatedUser, NewUser, User } from "./schema.ts";
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

export const createUser = operation({
  id: "createUser",
  summary: "Make a user",
  tag: "Users",
  method: "POST",
  path: "/api/admin/user-admin",
  permission: "ADMIN",
  body: NewUser,
  status: 201,
  errors: ["OwaspValidationError"],
  response: CreatedUser,
})
  .prepare(async ({ body: { password } }) => {
    if (password === undefined) return null;
    requireGoodPassword(password);
    return hashPassword(password);
  })
  .change(({ tx, body, prepared: passwordHash }) => {
    const { password: _, sendEmail: __, ...names } = body;
    const rootRole = requireRootRole(tx.db, body.rootRole);
    requireFreeNames(tx.db, names);
    const id = changes.createUser(tx, { ...names, rootRole, passwordHash });
    // The role as it was asked for, by its id or its name (original).
    const answer = { ...userById(tx.db, id)!, rootRole: body.rootRole, emailSent: false };
    return new WithHeaders(answer, { location: String(id) });
  });
