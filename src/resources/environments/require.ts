import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { invalid } from "../../http/error.ts";

/** @throws ApiError `ValidationError` for the first that does not exist; `where` begins its path */
export function requireEnvironments(db: Database, names: readonly string[], where: string) {
  const index = names.findIndex((name) => !isKnown(db, "environment", name));
  if (index < 0) return;
  throw invalid({ path: `${where}.${index}`, message: `there is no environment ${names[index]}` });
}
