import * as v from "valibot";
import { ShortText, Timestamp, wholeNumber } from "../../lib/validation.ts";

export const Variant = v.picklist(["info", "warning", "error", "success"]);

/** Where a banner links to: a page, here or elsewhere, or its own dialog; never a script. */
export const BannerLink = v.pipe(
  ShortText,
  v.check(
    (link) => link === "" || link === "dialog" || /^\/(?![/\\])/.test(link) || isWebAddress(link),
    "must be an address that begins with https://, http:// or one slash, or the word dialog",
  ),
);

const isWebAddress = (link: string) => /^https?:$/.test(URL.parse(link)?.protocol ?? "");

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

/** The body that creates a banner; the message may be Markdown. */
export const NewBanner = v.object({
  message: ShortText,
  enabled: v.optional(v.boolean(), true),
  variant: v.optional(Variant, "info"),
  sticky: v.optional(v.boolean(), false),
  icon: orNull(ShortText),
  link: orNull(BannerLink),
  linkText: orNull(ShortText),
  dialogTitle: orNull(ShortText),
  dialog: orNull(ShortText),
});
export type NewBanner = v.InferOutput<typeof NewBanner>;

/** A message from the administrators, shown to everyone on every page. */
export const Banner = v.strictObject({
  id: v.number(),
  message: v.string(),
  enabled: v.boolean(),
  variant: Variant,
  sticky: v.boolean(),
  icon: v.nullable(v.string()),
  link: v.nullable(v.string()),
  linkText: v.nullable(v.string()),
  dialogTitle: v.nullable(v.string()),
  dialog: v.nullable(v.string()),
  createdAt: Timestamp,
});
export type Banner = v.InferOutput<typeof Banner>;

/** A banner's id in a path. */
export const BannerId = wholeNumber(0);
