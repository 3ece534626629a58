import * as v from "valibot";
import { kind, LineError } from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { check, JsonObject, type Violation } from "../../lib/validation.ts";
import { insertSetting } from "./changes.ts";
import { FrontendSettings, Maintenance } from "./schema.ts";

/** The settings that a dataset may contain. The file's own id is not one of them: a copy is a different file. */
const CONTENTS = {
  "unleash.frontend": v.strictObject(FrontendSettings.entries),
  "maintenance.mode": v.strictObject(Maintenance.entries),
};

const Name = v.picklist(["unleash.frontend", "maintenance.mode"]);

const all = query<object, { name: string; content: string }>(`
  SELECT name, content FROM settings WHERE name IN ('unleash.frontend', 'maintenance.mode') ORDER BY name`);

export const setting = kind({
  name: "setting",
  schema: v.strictObject({ name: Name, content: JsonObject }),
  insert({ tx }, { name, content }) {
    const checked = check<v.GenericSchema>(CONTENTS[name], content, "content");
    if (checked.violations) throw new LineError(toText(checked.violations[0]));
    insertSetting(tx).run({ name, content: JSON.stringify(checked.value) });
  },
  *rows(db) {
    for (const { name, content } of all(db).iterate({})) yield { name, content: JSON.parse(content) };
  },
});

const toText = ({ path, message }: Violation) => `${path}: ${message}`;
