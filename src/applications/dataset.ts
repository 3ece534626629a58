import * as v from "valibot";
import { bit, Flag, kind, Name, OptionalText, OptionalTime, withoutNulls } from "../dataset/kind.ts";
import { query } from "../db/statement.ts";
import { type InstanceRow, insertApplication, insertInstance, insertPlace } from "./changes.ts";

const Application = v.strictObject({
  name: Name,
  description: OptionalText,
  url: OptionalText,
  color: OptionalText,
  icon: OptionalText,
  strategies: v.optional(v.array(v.string()), []),
  createdBy: OptionalText,
  createdAt: OptionalTime,
  updatedAt: OptionalTime,
  announced: Flag(true),
  places: v.optional(v.array(v.strictObject({ project: Name, environment: Name })), []),
});

type Stored = v.InferOutput<typeof Application>;
type Row = Omit<Stored, "strategies" | "places" | "announced"> & {
  strategies: string;
  places: string;
  announced: 0 | 1;
};

const applications = query<object, Row>(`
  SELECT name, description, url, color, icon, strategies, created_by AS createdBy, created_at AS createdAt,
    updated_at AS updatedAt, announced,
    (SELECT json_group_array(json_object('project', project, 'environment', environment)
        ORDER BY project, environment)
      FROM application_places WHERE application = name) AS places
  FROM applications ORDER BY name`);

export const application = kind({
  name: "application",
  schema: Application,
  insert({ tx, now }, { places, ...line }) {
    const createdAt = line.createdAt ?? now;
    insertApplication(tx).run({
      ...line,
      strategies: JSON.stringify(line.strategies),
      createdAt,
      updatedAt: line.updatedAt ?? createdAt,
      announced: bit(line.announced),
    });
    for (const place of places) insertPlace(tx).run({ application: line.name, ...place });
  },
  *rows(db) {
    for (const row of applications(db).iterate({}))
      yield withoutNulls({
        ...row,
        strategies: JSON.parse(row.strategies),
        announced: row.announced === 1,
        places: JSON.parse(row.places),
      });
  },
});

const Instance = v.strictObject({
  application: Name,
  environment: Name,
  instance: Name,
  sdkVersion: OptionalText,
  clientIp: OptionalText,
  createdAt: OptionalTime,
  seenAt: OptionalTime,
});

const instances = query<object, InstanceRow>(`
  SELECT application, environment, instance, sdk_version AS sdkVersion, client_ip AS clientIp,
    created_at AS createdAt, last_seen_at AS seenAt
  FROM application_instances ORDER BY application, environment, instance`);

export const instance = kind({
  name: "instance",
  schema: Instance,
  insert({ tx, now }, line) {
    const seenAt = line.seenAt ?? now;
    insertInstance(tx).run({ ...line, createdAt: line.createdAt ?? seenAt, seenAt });
  },
  *rows(db) {
    for (const row of instances(db).iterate({})) yield withoutNulls(row);
  },
});
