import { MASK } from "../../lib/mask.ts";

/** A URL without its possibly secret parts: with chat services, everything after the host is secret. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  return url.pathname === "/" && url.search === "" ? url.origin : `${url.origin}/${MASK}`;
}
