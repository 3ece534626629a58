import { ApiError } from "../lib/api-error.ts";

const isSafe = (method: string) => method === "GET" || method === "HEAD" || method === "OPTIONS";

/** What is known of the ways to this server. */
interface Reached {
  /** The URL that clients use, if it is configured. */
  publicUrl?: string | undefined;
  /** A proxy says how it was reached, and nobody else can reach this server. */
  trustsProxy?: boolean | undefined;
}

/** Whether the request came over TLS, here or at a trusted proxy. */
export const isSecure = ({ url, headers }: Request, trustsProxy: boolean) =>
  url.startsWith("https:") || (trustsProxy && isForwardedSecurely(headers));

/**
 * In a chain, each proxy appends how the request reached it, so the first entry is how the browser sent it. A client
 * that forges it affects only its own cookie.
 */
const isForwardedSecurely = (headers: Headers) =>
  /^https\s*(,|$)/i.test(headers.get("x-forwarded-proto") ?? "");

/** The URL of a trusted proxy, as the browser knows it; undefined unless it says so. */
function forwardedUrl({ headers }: Request): string | undefined {
  const [host = ""] = (headers.get("x-forwarded-host") ?? "").split(",");
  return host === "" ? undefined : `${isForwardedSecurely(headers) ? "https" : "http"}://${host.trim()}`;
}

/**
 * A browser sends the session cookie no matter which site caused the request, so changes must come from our own pages.
 * Other clients send no origin and are let through. No page of another site can set the headers of a proxy.
 * @throws ApiError `NoAccessError` for a request made by another site
 */
export function requireSameOrigin(request: Request, { publicUrl, trustsProxy }: Reached) {
  const { method, url, headers } = request;
  if (isSafe(method)) return;
  const own = [url, publicUrl, trustsProxy ? forwardedUrl(request) : undefined];
  const origin = headers.get("origin") ?? headers.get("referer"); // for browsers that don't send the former
  const site = headers.get("sec-fetch-site") ?? "none";
  if (origin === null ? ["none", "same-origin"].includes(site) : isOwn(origin, own)) return;
  throw new ApiError("NoAccessError", "A session can't be used from another site: send a token instead");
}

/**
 * A proxy may terminate TLS for us, so `https` is as good as `http`; the reverse would let in anyone on the network.
 */
function isOwn(origin: string, own: ReadonlyArray<string | undefined>) {
  const requesting = URL.parse(origin); // the text `null` for a page without an origin
  return own
    .flatMap((url) => URL.parse(url ?? "") ?? [])
    .some(
      ({ host, protocol }) =>
        requesting?.host === host && (protocol === "http:" || requesting.protocol === protocol),
    );
}
