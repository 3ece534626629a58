import type { IncomingMessage } from "node:http";
import type { EventHandler, H3Event } from "h3";
import { ApiError, invalid } from "../lib/api-error.ts";
import { MASK } from "../lib/text.ts";

/** The path requested, without the query, which may contain private data. */
export const pathOf = ({ url = "" }: IncomingMessage) => url.split("?", 1)[0]!;

/** Masks secrets in a path, or in a text that quotes one, for the log. */
export const maskSecrets = (text: string) =>
  text.replace(/(\/(?:api-tokens|invite-link\/+tokens|invite|auth\/+link)\/+)[^/\s]+/, `$1${MASK}`);

/** A path without repeated slashes and the base path; undefined for anything outside that. */
export function pathWithin(basePath: string, pathname: string): string | undefined {
  const path = pathname.includes("//") ? pathname.replaceAll(/\/{2,}/g, "/") : pathname;
  if (basePath !== "" && path !== basePath && !path.startsWith(`${basePath}/`)) return undefined;
  return path.slice(basePath.length) || "/";
}

/**
 * Makes the path one within the base path, so that nothing behind it needs to know about that.
 * @throws ApiError `NotFoundError` for anything outside
 */
export function normalizePath(basePath: string, { url }: H3Event) {
  const path = pathWithin(basePath, url.pathname);
  if (path === undefined)
    throw new ApiError(
      "NotFoundError",
      `There is nothing at ${url.pathname}: everything is below ${basePath}`,
    );
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

/** How many paths are remembered as logged; beyond that, a client probing paths can't fill the log. */
const MAX_REMEMBERED = 1000;

/**
 * Responds to paths that no handler serves. For API paths it says that the operation does not exist here, so that the
 * 404 isn't mistaken for a missing flag (docs/choices.md); each path is logged once.
 */
export function unknownPath(): EventHandler {
  const logged = new Set<string>();
  const isNew = (operation: string) =>
    logged.size < MAX_REMEMBERED && !logged.has(operation) && Boolean(logged.add(operation));
  return (event) => {
    const { pathname } = event.url;
    const reason = UNSUPPORTED.find(([paths]) => paths.test(pathname))?.[1];
    if (!reason && !pathname.startsWith("/api/"))
      throw new ApiError("NotFoundError", `There is nothing at ${pathname}`);
    const method = event.req.method === "HEAD" ? "GET" : event.req.method;
    const operation = `${method} ${pathname}`;
    const message = `Flagstone has no operation ${operation}${reason ? `: ${reason}` : ""}`;
    throw new ApiError("NotFoundError", message, { isLogged: isNew(operation) });
  };
}

/** Parts of the original's paid edition that Flagstone does not have (docs/choices.md). */
const UNSUPPORTED: ReadonlyArray<[paths: RegExp, reason: string]> = [
  [
    /^\/(api\/admin\/auth|auth)\/(saml|google)(\/|$)/,
    "signing in through another system by SAML, or at Google, is not part of it",
  ],
  [/^\/(scim|api\/admin\/scim-settings)(\/|$)/, "SCIM is not part of it"],
  [
    /^\/api\/admin\/(signals?|signal-endpoints|projects\/[^/]+\/actions)(\/|$)/,
    "signals and actions are not part of it",
  ],
  [/^\/api\/admin\/release-plan-templates(\/|$)/, "release plans are not part of it"],
  [/^\/api\/admin\/license(\/|$)/, "it needs no licence"],
  [/^\/api\/admin\/(invoices|order-environments)(\/|$)/, "there is nothing to pay for"],
  [/^\/api\/admin\/email(\/|$)/, "it sends no e-mail"],
  [/^\/api\/admin\/ai(\/|$)/, "it has no assistant"],
  [
    /^\/api\/admin\/(insights|metrics\/(rps|traffic))(\/|$)/,
    "insights into use and traffic are not part of it",
  ],
];
