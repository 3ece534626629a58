import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check, NonEmptyText } from "../lib/validation.ts";
import { Email, Username } from "../people/users-schema.ts";
import { userByAnyName } from "../people/users-store.ts";

const Name = v.pipe(
  NonEmptyText,
  v.check((name) => printable(name) === name, "must not contain control characters"),
);

/** @throws UsageError for a name that no dataset could contain, such as an empty one */
export function requireName(name: string) {
  const { violations } = check(Name, name);
  if (violations) throw new UsageError(`${JSON.stringify(name)}: a name ${violations[0].message}`);
}

/** A username as the API accepts it. @throws UsageError for an invalid one */
export function requireUsername(given: string): string {
  const result = check(Username, given);
  if (!result.violations) return result.value;
  throw new UsageError(`${JSON.stringify(given)}: a username ${result.violations[0].message}`);
}

/** An e-mail address as the API stores it. @throws UsageError unless it looks like one */
export function requireAddress(given: string): string {
  const result = check(Email, given);
  if (!result.violations) return result.value;
  throw new UsageError(
    `--email: ${JSON.stringify(given)} must be an e-mail address such as edith@example.com`,
  );
}

/** The user with this id, username or e-mail address. */
export function requireUser(db: Database, name: string) {
  const user = userByAnyName(db, name);
  if (user) return user;
  throw new Error(`There is no user ${name}: list the users with flagstone user list`);
}
