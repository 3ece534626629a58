import { UsageError } from "../config.ts";
import { check, NonEmptyText } from "../validation.ts";

/** @throws UsageError for a name that no dataset could hold, such as an empty one. */
export function requireName(name: string) {
  const { violations } = check(NonEmptyText, name);
  if (violations) throw new UsageError(`${JSON.stringify(name)}: a name ${violations[0].message}`);
}
