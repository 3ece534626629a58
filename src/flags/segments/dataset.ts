import * as v from "valibot";
import {
  Id,
  kind,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  requireKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { Constraint } from "../../evaluation/constraint.ts";
import { constraintWarnings } from "../constraints/require.ts";
import { insertSegment } from "./changes.ts";

const Segment = v.strictObject({
  id: Id,
  name: Name,
  description: OptionalText,
  project: optional(Name),
  constraints: v.optional(v.array(Constraint), []),
  createdBy: OptionalText,
  createdAt: OptionalTime,
});

type Row = Omit<v.InferOutput<typeof Segment>, "constraints" | "createdAt"> & {
  constraints: string;
  createdAt: string;
};

const all = query<object, Row>(`
  SELECT id, name, description, project, constraints, created_by AS createdBy, created_at AS createdAt
  FROM segments ORDER BY id`);

export const segment = kind({
  name: "segment",
  schema: Segment,
  insert({ tx, db, now }, line) {
    if (line.project !== null) requireKnown(db, "project", line.project, "project");
    const constraints = JSON.stringify(line.constraints);
    insertSegment(tx).run({ ...line, constraints, createdAt: line.createdAt ?? now });
  },
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield withoutNulls({ ...row, constraints: JSON.parse(row.constraints) });
    }
  },
  warnings: (_, { constraints }) => constraintWarnings("constraints", constraints),
});
