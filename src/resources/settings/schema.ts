import * as v from "valibot";
import { ShortText } from "../../validation.ts";

/** Where pages that request flags may come from: `*` for anywhere, or an origin such as `https://example.com`. */
const Origin = v.pipe(
  ShortText,
  v.check((text) => text === "*" || isOrigin(text), "must be * or an origin such as https://example.com"),
);

export const FrontendSettings = v.object({ frontendApiOrigins: v.array(Origin) });
export type FrontendSettings = v.InferOutput<typeof FrontendSettings>;

/** What can be set with the page's configuration; without any of it the answer is a 404 (original). */
export const NewUiConfig = v.object({ frontendSettings: v.optional(FrontendSettings) });

/** While it is enabled, changes are refused; reads continue. */
export const Maintenance = v.object({ enabled: v.boolean() });
export type Maintenance = v.InferOutput<typeof Maintenance>;

function isOrigin(text: string) {
  const url = URL.parse(text);
  return url !== null && url.origin === text.toLowerCase();
}
