import * as v from "valibot";
import { ShortText } from "../../lib/validation.ts";

/** The origin of pages that may request flags, such as `https://example.com`, or `*` for any. */
const Origin = v.pipe(
  ShortText,
  v.check((text) => text === "*" || isOrigin(text), "must be * or an origin such as https://example.com"),
);

export const FrontendSettings = v.object({ frontendApiOrigins: v.array(Origin) });
export type FrontendSettings = v.InferOutput<typeof FrontendSettings>;

/** The part of the page's configuration that can be set; without any, the response is a 404 (original). */
export const NewUiConfig = v.object({ frontendSettings: v.optional(FrontendSettings) });

/** While it is enabled, changes are refused; reads continue. */
export const Maintenance = v.object({ enabled: v.boolean() });
export type Maintenance = v.InferOutput<typeof Maintenance>;

function isOrigin(text: string) {
  const url = URL.parse(text);
  return url !== null && url.origin === text.toLowerCase();
}
