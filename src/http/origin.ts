import { ApiError } from "./error.ts";

const isSafe = (method: string) => method === "GET" || method === "HEAD" || method === "OPTIONS";

/** Whether the request came over TLS, here or at a trusted proxy. */
export const isSecure = ({ url, headers }: Request, trustsProxy: boolean) =>
  url.startsWith("https:") || (trustsProxy && headers.get("x-forwarded-proto") === "https");

/**
 * A browser sends the session cookie no matter which site caused the request, so changes must come from our own pages.
 * Other clients send no origin, and pass.
 * @throws ApiError `NoAccessError` for a request made by another site
 */
export function requireSameOrigin({ method, url, headers }: Request, publicUrl = "") {
  if (isSafe(method)) return;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site") ?? "none";
  const own = [url, publicUrl].flatMap((one) => URL.parse(one)?.host ?? []);
  const host = URL.parse(origin ?? "")?.host ?? ""; // `null` for a page without an origin
  if (origin === null ? ["none", "same-origin"].includes(site) : own.includes(host)) return;
  throw new ApiError("NoAccessError", "A session can't be used from another site: send a token instead");
}
