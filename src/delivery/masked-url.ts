import { MASK } from "../mask.ts";

/** A URL without possible secrets: those of chat services are secret after the host. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  return url.pathname === "/" && url.search === "" ? url.origin : `${url.origin}/${MASK}`;
}
