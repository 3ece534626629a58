import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";
import type { StrategyType } from "./schema.ts";
import { strategyTypeNamed } from "./store.ts";

/** The strategy type with this name; undefined if there is none. */
export const findStrategyType = strategyTypeNamed;

/** @throws ApiError `NotFoundError` unless there is a strategy type with this name */
export function requireStrategyType(db: Database, name: string): StrategyType {
  const type = strategyTypeNamed(db, name);
  if (type) return type;
  throw new ApiError("NotFoundError", `There is no strategy type ${name}`);
}

/** The same, unless it is built in. @throws ApiError `NotFoundError`, `InvalidOperationError` */
export function requireCustomStrategyType(db: Database, name: string): StrategyType {
  const type = requireStrategyType(db, name);
  if (type.editable) return type;
  throw new ApiError("InvalidOperationError", `The strategy type ${name} is built in and can't be changed`);
}
