import * as v from "valibot";
import { Id, kind, Name, optional, Real } from "../dataset/kind.ts";
import { query } from "../db/statement.ts";
import { eventTypeWarnings, Tag } from "../events/schema.ts";
import { JsonObject, Text, Time } from "../lib/validation.ts";

const wires = query<object, string>(`SELECT wire FROM events ORDER BY id`);

export const event = kind({
  name: "event",
  schema: v.strictObject({
    id: optional(Id),
    createdAt: Time,
    type: Name,
    createdBy: Text,
    createdByUserId: optional(Real),
    environment: optional(Text),
    project: optional(Name),
    featureName: optional(Text),
    data: optional(JsonObject),
    preData: optional(JsonObject),
    tags: v.optional(v.array(Tag), []),
    label: v.nullish(v.string()),
    summary: v.nullish(v.string()),
  }),
  insert({ events }, { id, label, summary, ...line }) {
    events.store({ ...line, ...(id && { id }), label: label ?? null, summary: summary ?? null });
  },
  *rows(db) {
    for (const wire of wires(db).pluck().iterate({})) yield wire;
  },
  warnings: (_, { type }) => eventTypeWarnings("type", type),
});
