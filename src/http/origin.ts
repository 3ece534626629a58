import { ApiError } from "./error.ts";

const isSafe = (method: string) => method === "GET" || method === "HEAD" || method === "OPTIONS";

/** Whether the request came by TLS, here or at a proxy that is trusted. */
export const isSecure = ({ url, headers }: Request, trustsProxy: boolean) =>
  url.startsWith("https:") || (trustsProxy && headers.get("x-forwarded-proto") === "https");

/**
 * A browser sends a session's cookie whoever made it send the request, so what changes something must come from our own
 * pages. What is no browser says nothing of where it comes from.
 * @throws ApiError `NoAccessError` for a request that another site has made
 */
export function requireSameOrigin({ method, url, headers }: Request, publicUrl = "") {
  if (isSafe(method)) return;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site") ?? "none";
  const own = [url, publicUrl].flatMap((one) => URL.parse(one)?.host ?? []);
  const host = URL.parse(origin ?? "")?.host ?? ""; // of a page without one: `null`
  if (origin === null ? ["none", "same-origin"].includes(site) : own.includes(host)) return;
  throw new ApiError("NoAccessError", "A session can't be used from another site: send a token instead");
}
