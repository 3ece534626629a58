import * as v from "valibot";
import { kind, LineError } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { MASK } from "../lib/text.ts";
import { check, JsonObject, ShortText } from "../lib/validation.ts";

/** The origin of pages that may request flags, such as `https://example.com`, or `*` for any. */
const Origin = v.pipe(
  ShortText,
  v.check((text) => text === "*" || isOrigin(text), "must be * or an origin such as https://example.com"),
);

function isOrigin(text: string) {
  const url = URL.parse(text);
  return url !== null && url.origin === text.toLowerCase();
}

export const FrontendSettings = v.object({ frontendApiOrigins: v.array(Origin) });

/** While it is enabled, changes are refused; reads continue. */
export const Maintenance = v.object({ enabled: v.boolean() });

/** Whether passwords are switched off: nobody signs in with one. */
export const PasswordSettings = v.object({ disabled: v.boolean() });

/** A setting: its name, which is the original's, and its value until it is changed. */
export interface Setting<T extends object, N extends string = string> {
  name: N;
  initial: T;
}

const toSetting = <N extends string, T extends object>(name: N, initial: T): Setting<T, N> => ({
  name,
  initial,
});

export const ORIGINS = toSetting("unleash.frontend", { frontendApiOrigins: ["*"] });

export const MAINTENANCE = toSetting("maintenance.mode", { enabled: false });

export const PASSWORDS = toSetting("unleash.auth.simple", { disabled: false });

/** What is stored, or else the initial value. */
export const currentSetting = <T extends object>(db: Database, setting: Setting<T>): T =>
  storedSetting(db, setting) ?? setting.initial;

/** Stores a setting, and records it. */
export function changeSetting<T extends object>(tx: Tx, setting: Setting<T>, value: T) {
  const before = storedSetting(tx.db, setting);
  storeSetting(tx, setting, value);
  const type = before === undefined ? "setting-created" : "setting-updated";
  tx.record({
    type,
    data: { id: setting.name, ...masked<object>(value) },
    ...(before && { preData: { ...masked<object>(before) } }),
  });
}

/** Stores a setting whose meaning is the same. */
export const storeSetting = <T extends object>(tx: Tx, { name }: Setting<T>, value: T) =>
  void store(tx).run({ name, content: JSON.stringify(value) });

/** A setting whose secret is masked, if it has one. */
export const masked = <T extends object>(value: T): T =>
  "secret" in value && value.secret !== "" ? { ...value, secret: MASK } : value;

/** Undefined if it was never set. */
function storedSetting<T extends object>(db: Database, { name }: Setting<T>): T | undefined {
  const content = contentOf(db).get({ name });
  return content === undefined ? undefined : JSON.parse(content);
}

const contentOf = valueQuery<{ name: string }, string>(`SELECT content FROM settings WHERE name = :name`);

const store = command<{ name: string; content: string }>(`
  INSERT INTO settings (name, content) VALUES (:name, :content)
  ON CONFLICT DO UPDATE SET content = :content`);

const instance = valueQuery<object, string>(`SELECT content ->> 'id' FROM settings WHERE name = 'instance'`);

/** The id of this data file, a UUID generated when it was created. */
export const instanceId = (db: Database): string => instance(db).get({})!;

/** The settings that a dataset may contain. A copy is a different file: it has its own id, and its own provider. */
const CONTENTS = {
  [ORIGINS.name]: v.strictObject(FrontendSettings.entries),
  [MAINTENANCE.name]: v.strictObject(Maintenance.entries),
  [PASSWORDS.name]: v.strictObject(PasswordSettings.entries),
};

const insert = command<{ name: string; content: string }>(`
  INSERT INTO settings (name, content) VALUES (:name, :content)`);

const all = query<object, { name: string; content: string }>(`
  SELECT name, content FROM settings WHERE name IN ('unleash.frontend', 'maintenance.mode', 'unleash.auth.simple')
  ORDER BY name`);

// Providers and the file's own id stay; a custom role's id may be that of another one from now on.
const removeAll = [
  command<object>(`DELETE FROM settings WHERE name NOT IN ('instance', 'unleash.enterprise.auth.oidc')`),
  command<object>(`
    UPDATE settings SET content = json_remove(content, '$.defaultRootRoleId', '$.defaultRootRole')
    WHERE name = 'unleash.enterprise.auth.oidc' AND content ->> 'defaultRootRoleId' NOT IN (SELECT id FROM roles)`),
];

export const setting = kind({
  name: "setting",
  schema: v.strictObject({
    name: v.picklist(Object.keys(CONTENTS) as Array<keyof typeof CONTENTS>),
    content: JsonObject,
  }),
  clear(tx) {
    for (const remove of removeAll) remove(tx).run({});
  },
  insert({ tx }, { name, content }) {
    const checked = check<v.GenericSchema>(CONTENTS[name], content, "content");
    if (checked.violations) {
      const [{ path, message }] = checked.violations;
      throw new LineError(`${path}: ${message}`);
    }
    insert(tx).run({ name, content: JSON.stringify(checked.value) });
  },
  rows: (db) => all(db).iterate({}),
});
