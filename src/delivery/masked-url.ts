import { MASK } from "../mask.ts";

/** Where something was sent, without what may be a secret: in an address for chats everything behind the host is. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  return url.pathname === "/" && url.search === "" ? url.origin : `${url.origin}/${MASK}`;
}
