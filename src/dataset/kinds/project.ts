import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { PathName } from "../../validation.ts";
import { kind } from "../kind.ts";
import { requireAllKnown } from "../reference.ts";
import { Id, Name, OptionalText, OptionalTime, withoutNulls } from "../value.ts";
import { nameWarnings } from "../warnings.ts";

const Project = v.strictObject({
  id: PathName,
  name: Name,
  description: OptionalText,
  mode: v.optional(v.picklist(["open", "protected", "private"]), "open"),
  defaultStickiness: v.optional(Name, "default"),
  createdAt: OptionalTime,
  archivedAt: OptionalTime,
  environments: v.array(Name),
  favoritedBy: v.optional(v.array(Id), []),
});

type Row = Omit<v.InferOutput<typeof Project>, "environments" | "favoritedBy" | "createdAt"> & {
  createdAt: string;
};

const insertRow = command<Row>(`
  INSERT INTO projects (id, name, description, mode, default_stickiness, created_at, archived_at)
  VALUES (:id, :name, :description, :mode, :defaultStickiness, :createdAt, :archivedAt)`);

const insertEnvironment = command<{ project: string; environment: string }>(`
  INSERT INTO project_environments (project, environment) VALUES (:project, :environment)`);

const insertFavorite = command<{ project: string; userId: number }>(`
  INSERT INTO project_favorites (project, user_id) VALUES (:project, :userId)`);

const all = query<object, Row & { environments: string; favoritedBy: string }>(`
  SELECT id, name, description, mode, default_stickiness AS defaultStickiness, created_at AS createdAt,
    archived_at AS archivedAt,
    (SELECT json_group_array(environment ORDER BY environment) FROM project_environments
      WHERE project = projects.id) AS environments,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM project_favorites
      WHERE project = projects.id) AS favoritedBy
  FROM projects ORDER BY id`);

export const project = kind({
  name: "project",
  schema: Project,
  insert({ tx, db, now }, { environments, favoritedBy, ...row }) {
    requireAllKnown(db, "environment", environments, "environments");
    requireAllKnown(db, "user", favoritedBy, "favoritedBy");
    insertRow(tx).run({ ...row, createdAt: row.createdAt ?? now });
    for (const environment of environments) insertEnvironment(tx).run({ project: row.id, environment });
    for (const userId of favoritedBy) insertFavorite(tx).run({ project: row.id, userId });
  },
  *rows(db) {
    for (const { environments, favoritedBy, ...row } of all(db).iterate({})) {
      const lists = { environments: JSON.parse(environments), favoritedBy: JSON.parse(favoritedBy) };
      yield { ...withoutNulls(row), ...lists };
    }
  },
  warnings: (_, { id }) => nameWarnings("id", id),
});
