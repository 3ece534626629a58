import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { toStoredJson } from "../../limits.ts";
import { EventType } from "../../resources/events/schema.ts";
import { maskedParameters } from "../../resources/integrations/mask.ts";
import { JsonObject } from "../../validation.ts";
import { kind } from "../kind.ts";
import { bit, Flag, Id, Name, OptionalText, OptionalTime, withoutNulls } from "../value.ts";
import { integrationWarnings } from "../warnings.ts";

const Integration = v.strictObject({
  id: Id,
  provider: Name,
  description: OptionalText,
  enabled: Flag(true),
  parameters: v.optional(JsonObject, {}),
  events: v.optional(v.array(EventType), []),
  projects: v.optional(v.array(Name), []),
  environments: v.optional(v.array(Name), []),
  createdAt: OptionalTime,
});

interface Row extends Record<"parameters" | "events" | "projects" | "environments", string> {
  id: number;
  provider: string;
  description: string | null;
  enabled: 0 | 1;
  createdAt: string;
}

const insertRow = command<Row>(`
  INSERT INTO integrations (id, provider, description, enabled, parameters, events, projects, environments,
    created_at)
  VALUES (:id, :provider, :description, :enabled, :parameters, :events, :projects, :environments, :createdAt)`);

const all = query<object, Row>(`
  SELECT id, provider, description, enabled, parameters, events, projects, environments, created_at AS createdAt
  FROM integrations ORDER BY id`);

export const integration = kind({
  name: "integration",
  schema: Integration,
  insert: ({ tx, now }, line) =>
    void insertRow(tx).run({
      ...line,
      enabled: bit(line.enabled),
      parameters: toStoredJson(line.parameters, "parameters"),
      events: JSON.stringify(line.events),
      projects: JSON.stringify(line.projects),
      environments: JSON.stringify(line.environments),
      createdAt: line.createdAt ?? now,
    }),
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield withoutNulls({
        ...row,
        enabled: row.enabled === 1,
        parameters: JSON.parse(row.parameters),
        events: JSON.parse(row.events),
        projects: JSON.parse(row.projects),
        environments: JSON.parse(row.environments),
      });
    }
  },
  warnings: (_, line) => integrationWarnings(line),
  masked: (row) => ({ ...row, parameters: maskedParameters(row.provider, row.parameters ?? {}) }),
});
