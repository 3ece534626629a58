import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";
import { ApiError, invalid } from "../lib/api-error.ts";
import { MASK } from "../lib/mask.ts";

/** The path requested, without the query, which may contain private data. */
export const pathOf = ({ url = "" }: IncomingMessage) => url.split("?", 1)[0]!;

/** Masks secrets in a path, or in a text that quotes one, for the log. */
export const maskSecrets = (text: string) =>
  text.replace(/(\/(?:api-tokens|invite-link\/+tokens|invite|auth\/+link)\/+)[^/\s]+/, `$1${MASK}`);

/**
 * Collapses repeated slashes and strips the base path, so that nothing behind it needs to know about it.
 * @throws ApiError `NotFoundError` for anything outside the base path
 */
export function normalizePath(basePath: string, { url }: H3Event) {
  const pathname = url.pathname.includes("//") ? url.pathname.replaceAll(/\/{2,}/g, "/") : url.pathname;
  if (basePath !== "" && pathname !== basePath && !pathname.startsWith(`${basePath}/`)) {
    throw new ApiError("NotFoundError", `There is nothing at ${pathname}: everything is below ${basePath}`);
  }
  const path = pathname.slice(basePath.length) || "/";
  if (path !== url.pathname) url.pathname = path;
}

/** @throws ApiError `ValidationError` for a path that can't be decoded or contains NUL */
export function requireDecodable(pathname: string) {
  if (!pathname.includes("%")) return;
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    throw invalid({ path: "path", message: "has a percent sign that starts no valid sequence" });
  }
  if (decoded.includes("\0")) throw invalid({ path: "path", message: "must not contain the character NUL" });
}

/** Whether the path is the prefix or below it. No spelling evades it, even in a path that is malformed further on. */
export function isBelow(prefix: string, pathname: string) {
  const plain = pathname.includes("%")
    ? pathname.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent)
    : pathname;
  return plain.startsWith(prefix) && (plain.length === prefix.length || plain[prefix.length] === "/");
}
