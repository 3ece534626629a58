import * as v from "valibot";
import {
  bit,
  Flag,
  Id,
  kind,
  OptionalText,
  OptionalTime,
  optional,
  withoutNulls,
} from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { ShortText } from "../../lib/validation.ts";
import { insertBanner } from "./changes.ts";
import { BannerLink, Variant } from "./schema.ts";

const Banner = v.strictObject({
  id: Id,
  message: ShortText,
  enabled: Flag(true),
  variant: v.optional(Variant, "info"),
  sticky: Flag(false),
  icon: OptionalText,
  link: optional(BannerLink),
  linkText: OptionalText,
  dialogTitle: OptionalText,
  dialog: OptionalText,
  createdAt: OptionalTime,
});

type Row = Omit<v.InferOutput<typeof Banner>, "enabled" | "sticky"> & { enabled: 0 | 1; sticky: 0 | 1 };

const all = query<object, Row>(`
  SELECT id, message, enabled, variant, sticky, icon, link, link_text AS linkText, dialog_title AS dialogTitle,
    dialog, created_at AS createdAt
  FROM banners ORDER BY id`);

export const banner = kind({
  name: "banner",
  schema: Banner,
  insert({ tx, now }, { enabled, sticky, createdAt, ...row }) {
    insertBanner(tx).run({ ...row, enabled: bit(enabled), sticky: bit(sticky), createdAt: createdAt ?? now });
  },
  *rows(db) {
    for (const { enabled, sticky, ...row } of all(db).iterate({}))
      yield { ...withoutNulls(row), enabled: enabled === 1, sticky: sticky === 1 };
  },
});
