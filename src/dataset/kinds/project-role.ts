import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { insertUserRole } from "../../resources/projects/store.ts";
import { LineError } from "../error.ts";
import { kind } from "../kind.ts";
import { requireKnown } from "../reference.ts";
import { Id, Name, optional, withoutNulls } from "../value.ts";

const insertGroup = command<{ project: string; group: number; role: number }>(`
  INSERT INTO project_group_roles (project, group_id, role_id) VALUES (:project, :group, :role)`);

const all = query<object, { project: string; role: number; user: number | null; group: number | null }>(`
  SELECT project, role_id AS role, user_id AS user, NULL AS "group" FROM project_user_roles
  UNION ALL SELECT project, role_id, NULL, group_id FROM project_group_roles
  ORDER BY project, role, user, "group"`);

export const projectRole = kind({
  name: "projectRole",
  schema: v.strictObject({ project: Name, role: Id, user: optional(Id), group: optional(Id) }),
  insert({ tx, db }, { project, role, user, group }) {
    requireKnown(db, "project", project, "project");
    requireKnown(db, "role", role, "role");
    if ((user === null) === (group === null)) throw new LineError("user: give either a user or a group");
    if (user !== null) {
      requireKnown(db, "user", user, "user");
      insertUserRole(tx).run({ project, user, role });
    }
    if (group !== null) {
      requireKnown(db, "group", group, "group");
      insertGroup(tx).run({ project, group, role });
    }
  },
  *rows(db) {
    for (const row of all(db).iterate({})) yield withoutNulls(row);
  },
});
