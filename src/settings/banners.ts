import * as v from "valibot";
import { Flag, Id, kind, OptionalText, OptionalTime, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { found } from "../lib/api-error.ts";
import { ShortText, Timestamp, wholeNumber } from "../lib/validation.ts";
import { isWebAddress } from "../lib/web-address.ts";

export const BannerVariant = v.picklist(["info", "warning", "error", "success"]);

/** Where a banner links to: a page, here or elsewhere, or its own dialog; never a script. */
export const BannerLink = v.pipe(
  ShortText,
  v.check(
    (link) => link === "" || link === "dialog" || /^\/(?![/\\])/.test(link) || isWebAddress(link),
    "must be an address that begins with https://, http:// or one slash, or the word dialog",
  ),
);

/** The body that creates a banner; the message may be Markdown. */
export const NewBanner = v.object({
  message: ShortText,
  enabled: Flag(true),
  variant: v.optional(BannerVariant, "info"),
  sticky: Flag(false),
  icon: OptionalText,
  link: optional(BannerLink),
  linkText: OptionalText,
  dialogTitle: OptionalText,
  dialog: OptionalText,
});
type NewBanner = v.InferOutput<typeof NewBanner>;

/** A message from the administrators, shown to everyone on every page. */
export const Banner = v.strictObject({
  id: v.number(),
  message: v.string(),
  enabled: v.boolean(),
  variant: BannerVariant,
  sticky: v.boolean(),
  icon: v.nullable(v.string()),
  link: v.nullable(v.string()),
  linkText: v.nullable(v.string()),
  dialogTitle: v.nullable(v.string()),
  dialog: v.nullable(v.string()),
  createdAt: Timestamp,
});
type Banner = v.InferOutput<typeof Banner>;
export const BannerId = wholeNumber(0);

const MAY_CHANGE = { permission: ["ADMIN", "UPDATE_INSTANCE_BANNERS"] } as const;

const ofBanner = {
  tag: "Banners",
  path: "/api/admin/banners/:id",
  permission: MAY_CHANGE,
  params: v.object({ id: BannerId }),
  errors: ["NotFoundError"],
} as const;

export const listBanners = GET({
  id: "getBanners",
  summary: "All banners, including hidden ones",
  tag: "Banners",
  path: "/api/admin/banners",
  permission: null,
  response: v.strictObject({ banners: v.array(Banner) }),
}).run(({ db }) => ({ banners: all(db).all({}).map(toBanner) }));

const EXAMPLE = { message: "Maintenance tonight at **nine**", variant: "warning", link: "/projects" };

export const createBanner = POST({
  id: "createBanner",
  summary: "Create a banner",
  tag: "Banners",
  path: "/api/admin/banners",
  permission: MAY_CHANGE,
  body: NewBanner,
  status: 201,
  records: ["banner-created"],
  response: Banner,
  example: EXAMPLE,
}).change(({ tx, body }) => {
  const { lastInsertRowid } = insert(tx).run({ ...toStored(body), id: null, createdAt: tx.now });
  const created = requireBanner(tx.db, Number(lastInsertRowid));
  tx.record({ type: "banner-created", data: created });
  return created;
});

export const updateBanner = PUT({
  ...ofBanner,
  id: "updateBanner",
  summary: "Replace a banner",
  body: NewBanner,
  records: ["banner-updated"],
  response: Banner,
  example: { ...EXAMPLE, enabled: false },
}).change(({ tx, params: { id }, body }) => replaceBanner(tx, requireBanner(tx.db, id), body));

export const enableBanner = POST({
  ...ofBanner,
  id: "enableBanner",
  summary: "Show a banner",
  path: `${ofBanner.path}/on`,
  records: ["banner-updated"],
}).change(({ tx, params: { id } }) => switchBanner(tx, id, true));

export const disableBanner = POST({
  ...ofBanner,
  id: "disableBanner",
  summary: "Hide a banner",
  path: `${ofBanner.path}/off`,
  records: ["banner-updated"],
}).change(({ tx, params: { id } }) => switchBanner(tx, id, false));

export const deleteBanner = DELETE({
  ...ofBanner,
  id: "deleteBanner",
  summary: "Delete a banner",
  records: ["banner-deleted"],
}).change(({ tx, params: { id } }) => {
  const preData = requireBanner(tx.db, id);
  remove(tx).run({ id });
  tx.record({ type: "banner-deleted", preData });
});

/** Does nothing if the banner is already in that state. */
function switchBanner(tx: Tx, id: number, enabled: boolean) {
  const banner = requireBanner(tx.db, id);
  if (banner.enabled !== enabled) replaceBanner(tx, banner, { ...banner, enabled });
}

function replaceBanner(tx: Tx, preData: Banner, banner: NewBanner): Banner {
  update(tx).run({ ...toStored(banner), id: preData.id });
  const data = requireBanner(tx.db, preData.id);
  tx.record({ type: "banner-updated", data, preData });
  return data;
}

/** @throws ApiError `NotFoundError` */
function requireBanner(db: Database, id: number): Banner {
  return toBanner(found(byId(db).get({ id }), `banner with the id ${id}`));
}

const toBanner = fromStored(Banner);

const COLUMNS = `id, message, enabled, variant, sticky, icon, link, link_text AS linkText,
  dialog_title AS dialogTitle, dialog, created_at AS createdAt`;

const all = query<object, Stored<Banner>>(`SELECT ${COLUMNS} FROM banners ORDER BY id`);

const byId = query<{ id: number }, Stored<Banner>>(`SELECT ${COLUMNS} FROM banners WHERE id = :id`);

const insert = command<Stored<NewBanner> & { id: number | null; createdAt: string }>(`
  INSERT INTO banners (id, message, enabled, variant, sticky, icon, link, link_text, dialog_title, dialog, created_at)
  VALUES (:id, :message, :enabled, :variant, :sticky, :icon, :link, :linkText, :dialogTitle, :dialog, :createdAt)`);

const update = command<Stored<NewBanner> & { id: number }>(`
  UPDATE banners SET message = :message, enabled = :enabled, variant = :variant, sticky = :sticky, icon = :icon,
    link = :link, link_text = :linkText, dialog_title = :dialogTitle, dialog = :dialog
  WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM banners WHERE id = :id`);

export const banner = kind({
  name: "banner",
  isNumbered: true,
  schema: v.strictObject({ id: Id, ...NewBanner.entries, createdAt: OptionalTime }),
  insert: ({ tx, now }, { id, createdAt, ...line }) =>
    insert(tx).run({ ...toStored(line), id, createdAt: createdAt ?? now }),
  *rows(db) {
    for (const { enabled, sticky, ...row } of all(db).iterate({})) yield { ...row, enabled, sticky };
  },
});
