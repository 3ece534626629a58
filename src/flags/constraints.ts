import type { Database } from "../db/database.ts";
import {
  type Constraint,
  NewConstraint,
  requireConstraint,
  takesOneValue,
} from "../evaluation/constraint.ts";
import { POST } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { type ContextField, requireContextField, requireUsableField } from "./context-fields.ts";

export const validateConstraint = POST({
  id: "validateConstraint",
  summary: "Check whether a constraint is valid",
  tag: "Strategies",
  path: "/api/admin/constraints/validate",
  permission: null,
  body: NewConstraint,
  status: 204,
  errors: ["NotFoundError"],
  example: { contextName: "plan", operator: "IN", values: ["gold"] },
}).run(({ db, actor, body }) => {
  requireConstraint(body, "body");
  requireLegalValues(requireContextField(db, actor, { contextField: body.contextName }), body, "body");
});

/**
 * Checks that constraints name context fields that the project may use, and only their legal values, if they have any.
 * @param where the path of the list
 * @throws ApiError `NotFoundError` for a field, `ValidationError` for a value
 */
export function requireFields(
  db: Database,
  project: string,
  constraints: readonly Constraint[],
  where: string,
) {
  for (const [index, constraint] of constraints.entries()) {
    const field = requireUsableField(db, constraint.contextName, project);
    requireLegalValues(field, constraint, `${where}.${index}`);
  }
}

function requireLegalValues({ name, legalValues }: ContextField, constraint: Constraint, where: string) {
  if (legalValues.length === 0) return;
  const isLegal = (one: string | undefined) => legalValues.some((legal) => legal.value === one);
  const takesOne = takesOneValue(constraint);
  if (takesOne ? isLegal(constraint.value) : constraint.values.every(isLegal)) return;
  const path = `${where}.${takesOne ? "value" : "values"}`;
  throw invalid({ path, message: `is not among the legal values of ${name}` });
}
