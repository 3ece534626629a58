import * as v from "valibot";
import type { Tx } from "../../events/write.ts";
import { NoBody, operation } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireBanner } from "./require.ts";
import { Banner, BannerId, NewBanner } from "./schema.ts";
import { bannerById, banners } from "./store.ts";

const BANNER = "/api/admin/banners/:id";

const ofBanner = {
  tag: "Banners",
  permission: "ADMIN",
  params: v.object({ id: BannerId }),
  errors: ["NotFoundError"],
} as const;

export const listBanners = operation({
  id: "getBanners",
  summary: "All banners, including hidden ones",
  tag: "Banners",
  method: "GET",
  path: "/api/admin/banners",
  permission: null,
  response: v.strictObject({ banners: v.array(Banner) }),
}).run(({ db }) => ({ banners: banners(db) }));

export const createBanner = operation({
  id: "createBanner",
  summary: "Create a banner",
  tag: "Banners",
  method: "POST",
  path: "/api/admin/banners",
  permission: "ADMIN",
  body: NewBanner,
  status: 201,
  records: ["banner-created"],
  response: Banner,
}).change(({ tx, body }) => changes.createBanner(tx, body));

export const updateBanner = operation({
  ...ofBanner,
  id: "updateBanner",
  summary: "Replace a banner",
  method: "PUT",
  path: BANNER,
  body: NewBanner,
  records: ["banner-updated"],
  response: Banner,
}).change(({ tx, params: { id }, body }) => {
  requireBanner(tx.db, id);
  return changes.updateBanner(tx, id, body);
});

export const enableBanner = operation({
  ...ofBanner,
  id: "enableBanner",
  summary: "Show a banner",
  method: "POST",
  path: `${BANNER}/on`,
  records: ["banner-updated"],
  response: NoBody,
}).change(({ tx, params: { id } }) => switchBanner(tx, id, true));

export const disableBanner = operation({
  ...ofBanner,
  id: "disableBanner",
  summary: "Hide a banner",
  method: "POST",
  path: `${BANNER}/off`,
  records: ["banner-updated"],
  response: NoBody,
}).change(({ tx, params: { id } }) => switchBanner(tx, id, false));

export const deleteBanner = operation({
  ...ofBanner,
  id: "deleteBanner",
  summary: "Delete a banner",
  method: "DELETE",
  path: BANNER,
  records: ["banner-deleted"],
  response: NoBody,
}).change(({ tx, params: { id } }) => {
  requireBanner(tx.db, id);
  changes.removeBanner(tx, id);
});

/** Does nothing if the banner is already in that state. */
function switchBanner(tx: Tx, id: number, enabled: boolean) {
  requireBanner(tx.db, id);
  const banner = bannerById(tx.db, id);
  if (banner.enabled !== enabled) changes.updateBanner(tx, id, { ...banner, enabled });
}
