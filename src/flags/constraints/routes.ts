import { NewConstraint } from "../../evaluation/constraint.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { requireConstraint, requireLegalValues } from "./require.ts";

export const validateConstraint = operation({
  id: "validateConstraint",
  summary: "Check whether a constraint is valid",
  tag: "Strategies",
  method: "POST",
  path: "/api/admin/constraints/validate",
  permission: null,
  body: NewConstraint,
  status: 204,
  errors: ["NotFoundError"],
  response: NoBody,
}).run(({ db, body }) => {
  requireConstraint(body, "body");
  requireLegalValues(db, body, "body");
});
