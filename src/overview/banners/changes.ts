import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Banner, NewBanner } from "./schema.ts";
import { bannerById } from "./store.ts";

type Row = Omit<NewBanner, "enabled" | "sticky"> & { enabled: 0 | 1; sticky: 0 | 1 };

export const insertBanner = command<Row & { id: number | null; createdAt: string }>(`
  INSERT INTO banners (id, message, enabled, variant, sticky, icon, link, link_text, dialog_title, dialog, created_at)
  VALUES (:id, :message, :enabled, :variant, :sticky, :icon, :link, :linkText, :dialogTitle, :dialog, :createdAt)`);

const update = command<Row & { id: number }>(`
  UPDATE banners SET message = :message, enabled = :enabled, variant = :variant, sticky = :sticky, icon = :icon,
    link = :link, link_text = :linkText, dialog_title = :dialogTitle, dialog = :dialog
  WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM banners WHERE id = :id`);

export function createBanner(tx: Tx, banner: NewBanner): Banner {
  const { lastInsertRowid } = insertBanner(tx).run({ ...toRow(banner), id: null, createdAt: tx.now });
  const created = bannerById(tx.db, Number(lastInsertRowid));
  tx.record({ type: "banner-created", data: { ...created } });
  return created;
}

/** Replaces all properties of an existing banner. */
export function updateBanner(tx: Tx, id: number, banner: NewBanner): Banner {
  const preData = { ...bannerById(tx.db, id) };
  update(tx).run({ ...toRow(banner), id });
  const changed = bannerById(tx.db, id);
  tx.record({ type: "banner-updated", data: { ...changed }, preData });
  return changed;
}

/** Deletes an existing banner. */
export function removeBanner(tx: Tx, id: number) {
  const preData = { ...bannerById(tx.db, id) };
  remove(tx).run({ id });
  tx.record({ type: "banner-deleted", preData });
}

const toRow = ({ enabled, sticky, ...banner }: NewBanner): Row => ({
  ...banner,
  enabled: enabled ? 1 : 0,
  sticky: sticky ? 1 : 0,
});
