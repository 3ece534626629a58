import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check, NonEmptyText, type Schema } from "../lib/validation.ts";
import { userByAnyName } from "../people/users-store.ts";

/** The value as the schema has it. @throws UsageError worded from what is wrong with it */
export function checkedOr<S extends Schema>(schema: S, given: unknown, toMessage: (wrong: string) => string) {
  const result = check(schema, given);
  if (!result.violations) return result.value;
  throw new UsageError(toMessage(result.violations[0].message));
}

const Name = v.pipe(
  NonEmptyText,
  v.check((name) => printable(name) === name, "must not contain control characters"),
);

/** @throws UsageError for a name that no dataset could contain, such as an empty one */
export const requireName = (name: string) =>
  checkedOr(Name, name, (wrong) => `${JSON.stringify(name)}: a name ${wrong}`);

/** The user with this id, username or e-mail address. */
export function requireUser(db: Database, name: string) {
  const user = userByAnyName(db, name);
  if (user) return user;
  throw new Error(`There is no user ${name}: list the users with flagstone user list`);
}
