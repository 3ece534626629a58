import type { EventHandler } from "h3";
import { ApiError } from "../lib/api-error.ts";

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
    /^\/api\/admin\/(projects\/[^/]+\/(environments\/[^/]+\/)?)?change-requests(\/|$)/,
    "change requests are not part of it",
  ],
  [
    /^\/(api\/admin\/auth|auth)\/(oidc|saml|google)(\/|$)|^\/api\/admin\/auth\/simple\/settings$/,
    "signing in through another system (OIDC, SAML, Google) is not part of it",
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
