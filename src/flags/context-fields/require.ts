import type { Actor } from "../../access/actor.ts";
import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";
import { requireNoUse } from "../strategies/require.ts";
import type { ContextField } from "./schema.ts";
import { contextFieldNamed, strategiesUsing } from "./store.ts";

/** @throws ApiError `NotFoundError` unless there is a context field with this name */
export function requireContextField(db: Database, name: string): ContextField {
  const field = contextFieldNamed(db, name);
  if (field) return field;
  throw new ApiError("NotFoundError", `There is no context field ${name}`);
}

/** @throws ApiError `NameExistsError` if there is a context field with this name */
export function requireFreeName(db: Database, name: string) {
  if (!isKnown(db, "contextField", name)) return;
  throw new ApiError("NameExistsError", `body.name: there is already a context field ${name}`);
}

/** @throws ApiError `ConflictError` if any strategy has a constraint on the field */
export const requireUnused = (db: Database, actor: Actor, { name }: ContextField) =>
  requireNoUse(db, actor, `context field ${name}`, (hidden) => strategiesUsing(db, name, hidden));
