import * as v from "valibot";
import { UsageError } from "../config.ts";
import type { Database } from "../db/statement.ts";
import { printable } from "../printable.ts";
import { userByAnyName } from "../resources/users/store.ts";
import { check, NonEmptyText } from "../validation.ts";

const Name = v.pipe(
  NonEmptyText,
  v.check((name) => printable(name) === name, "must not hold control characters"),
);

/** @throws UsageError for a name that no dataset could hold, such as an empty one, or that nobody would mean. */
export function requireName(name: string) {
  const { violations } = check(Name, name);
  if (violations) throw new UsageError(`${JSON.stringify(name)}: a name ${violations[0].message}`);
}

/** @throws UsageError for what is no e-mail address, whether or not there is such a mailbox. */
export function requireAddress(address: string) {
  requireName(address);
  if (!/^[^\s@]+@[^\s@]+$/.test(address))
    throw new UsageError(
      `--email: ${JSON.stringify(address)} must be an e-mail address such as edith@example.com`,
    );
}

/** The user with this id, username or e-mail address. */
export function requireUser(db: Database, name: string) {
  const user = userByAnyName(db, name);
  if (user) return user;
  throw new Error(`There is no user ${name}: flagstone user list shows them`);
}
