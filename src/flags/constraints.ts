import type { Database } from "../db/database.ts";
import {
  type Constraint,
  NewConstraint,
  requireConstraint,
  takesOneValue,
} from "../evaluation/constraint.ts";
import { POST } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { requireContextField } from "./context-fields.ts";

export const validateConstraint = POST({
  id: "validateConstraint",
  summary: "Check whether a constraint is valid",
  tag: "Strategies",
  path: "/api/admin/constraints/validate",
  permission: null,
  body: NewConstraint,
  status: 204,
  errors: ["NotFoundError"],
}).run(({ db, body }) => {
  requireConstraint(body, "body");
  requireLegalValues(db, body, "body");
});

/**
 * Checks that a constraint names an existing context field and uses only its legal values, if it has any (original).
 * @throws ApiError `NotFoundError` for the field, `ValidationError` for a value
 */
export function requireLegalValues(db: Database, constraint: Constraint, where: string) {
  const { contextName, value, values } = constraint;
  const { legalValues } = requireContextField(db, contextName);
  if (legalValues.length === 0) return;
  const isLegal = (one: string | undefined) => legalValues.some((legal) => legal.value === one);
  const takesOne = takesOneValue(constraint);
  if (takesOne ? isLegal(value) : values.every(isLegal)) return;
  const path = `${where}.${takesOne ? "value" : "values"}`;
  throw invalid({ path, message: `is not among the legal values of ${contextName}` });
}
