import * as v from "valibot";
import { kind, OptionalText } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError, found, invalid } from "../lib/api-error.ts";
import { PathName, ShortText, UrlName } from "../lib/validation.ts";

/** What a group of tags is for; `description` and `icon` are null if missing. */
export const TagType = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  icon: v.nullable(v.string()),
});
type TagType = v.InferOutput<typeof TagType>;

export const TagTypeList = v.strictObject({ version: v.literal(1), tagTypes: v.array(TagType) });
export const OneTagType = v.strictObject({ version: v.literal(1), tagType: TagType });

const PROPERTIES = { description: v.nullish(ShortText), icon: v.nullish(ShortText) };

/** The body that creates a tag type. */
export const NewTagType = v.object({
  name: v.pipe(
    UrlName,
    v.minLength(2, "must have 2 characters or more"),
    v.maxLength(50, "must have 50 characters or fewer"),
  ),
  ...PROPERTIES,
});
type NewTagType = v.InferOutput<typeof NewTagType>;

/** The tag type as in the request: what was left out is absent (original). */
export const GivenTagType = v.strictObject({
  name: v.string(),
  description: v.nullish(v.string()),
  icon: v.nullish(v.string()),
});

export const ValidTagType = v.strictObject({ valid: v.literal(true), tagType: GivenTagType });

/** Properties that are left out stay as they are. */
export const TagTypeChange = v.pipe(
  v.object(PROPERTIES),
  v.check(
    ({ description, icon }) => description !== undefined || icon !== undefined,
    "must have a description or an icon",
  ),
);

const ALL = { tag: "Tags", path: "/api/admin/tag-types" } as const;
const ONE = { tag: "Tags", path: "/api/admin/tag-types/:name", exampleParams: { name: "simple" } } as const;

export const listTagTypes = GET({
  ...ALL,
  id: "getTagTypes",
  summary: "The tag types",
  permission: null,
  response: TagTypeList,
}).run(({ db }) => ({ version: 1, tagTypes: builtInFirst(db).all({}) }));

export const createTagTypeOperation = POST({
  ...ALL,
  id: "createTagType",
  summary: "Create a tag type",
  permission: "CREATE_TAG_TYPE",
  body: NewTagType,
  status: 201,
  errors: ["NameExistsError"],
  records: ["tag-type-created"],
  response: GivenTagType,
  example: { name: "team", description: "The team that owns it", icon: "T" },
}).change(({ tx, body }) => new WithHeaders(createTagType(tx, body), { location: `tag-types/${body.name}` }));

export const validateTagType = POST({
  id: "validateTagType",
  summary: "Check whether a tag type could be created",
  tag: "Tags",
  path: "/api/admin/tag-types/validate",
  permission: null,
  body: NewTagType,
  errors: ["NameExistsError"],
  response: ValidTagType,
  example: { name: "team", description: "The team that owns it", icon: "T" },
}).run(({ db, body }) => {
  if (byName(db).get(body))
    throw new ApiError("NameExistsError", `body.name: there is already a tag type ${body.name}`);
  return { valid: true, tagType: body };
});

export const readTagType = GET({
  ...ONE,
  id: "getTagType",
  summary: "A tag type",
  permission: null,
  errors: ["NotFoundError"],
  response: OneTagType,
}).run(({ db, params: { name } }) => ({ version: 1, tagType: requireTagType(db, name) }));

export const updateTagType = PUT({
  ...ONE,
  id: "updateTagType",
  summary: "Change a tag type's description or icon",
  permission: "UPDATE_TAG_TYPE",
  body: TagTypeChange,
  records: ["tag-type-updated"],
  example: { description: "Any word", icon: "#" },
}).change(({ tx, params: { name }, body }) => {
  const before = byName(tx.db).get({ name });
  if (before) {
    const { description = before.description, icon = before.icon } = body;
    update(tx).run({ name, description, icon });
  }
  tx.record({ type: "tag-type-updated", data: { name, ...body } }); // even if there is none (original)
});

export const deleteTagType = DELETE({
  ...ONE,
  id: "deleteTagType",
  summary: "Delete a tag type with its tags",
  permission: "DELETE_TAG_TYPE",
  errors: ["NotFoundError"],
  records: ["tag-type-deleted"],
}).change(({ tx, params: { name } }) => {
  const preData = requireTagType(tx.db, name);
  remove(tx).run({ name });
  tx.record({ type: "tag-type-deleted", preData });
});

const builtInFirst = query<object, TagType>(`
  SELECT name, description, icon FROM tag_types ORDER BY name <> 'simple', name`);

const byName = query<{ name: string }, TagType>(`
  SELECT name, description, icon FROM tag_types WHERE name = :name`);

const insert = command<TagType>(`
  INSERT INTO tag_types (name, description, icon) VALUES (:name, :description, :icon)`);

const update = command<TagType>(`
  UPDATE tag_types SET description = :description, icon = :icon WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM tag_types WHERE name = :name`);

const requireTagType = (db: Database, name: string) => found(byName(db).get({ name }), `tag type ${name}`);

/** Creates a tag type; an SQLite constraint error if the name is taken. */
export function createTagType(tx: Tx, tagType: NewTagType): NewTagType {
  const { name, description = null, icon = null } = tagType;
  insert(tx).run({ name, description, icon });
  tx.record({ type: "tag-type-created", data: tagType });
  return tagType;
}

/** @throws ApiError `ValidationError` for a tag of an unknown type; `where` begins its path */
export function requireTagTypeOf(db: Database, { type }: { type: string }, where: string) {
  if (isKnown(db, "tagType", type)) return;
  throw invalid({ path: `${where}.type`, message: `there is no tag type ${type}` });
}

const byNameOnly = query<object, TagType>(`SELECT name, description, icon FROM tag_types ORDER BY name`);

export const tagType = kind({
  name: "tagType",
  schema: v.strictObject({ name: PathName, description: OptionalText, icon: OptionalText }),
  insert: ({ tx }, line) => insert(tx).run(line),
  rows: (db) => byNameOnly(db).iterate({}),
});
