import type { IncomingMessage } from "node:http";
import net, { type Socket } from "node:net";
import { type H3Event, HTTPResponse } from "h3";
import { ApiError } from "../lib/api-error.ts";

const isSafe = (method: string) => method === "GET" || method === "HEAD" || method === "OPTIONS";

/** What is known of the ways to this server. */
export interface Reached {
  /** The prefix of every path, such as `/flags`. */
  basePath?: string | undefined;
  /** The URL that clients use, including the base path; without it, links in responses are relative. */
  publicUrl?: string | undefined;
  /** A proxy says how it was reached, and by which address; nobody else can reach this server. */
  trustsProxy?: boolean | undefined;
}

/** Whether the browser keeps a cookie that is for TLS only. */
export function isSecure(
  { url, headers }: Pick<Request, "url" | "headers">,
  { publicUrl = "", trustsProxy = false }: Reached,
): boolean {
  if (url.startsWith("https:")) return true;
  if (trustsProxy && headers.get("x-forwarded-proto")) return isForwardedSecurely(headers);
  return publicUrl.startsWith("https:") && isPublic(url, publicUrl);
}

/** A proxy may ask this machine in its own name. Who gets past it by another one has no TLS: browsers drop such a cookie. */
function isPublic(url: string, publicUrl: string) {
  const asked = URL.parse(url);
  return LOCAL.includes(asked?.hostname ?? "") || asked?.host === URL.parse(publicUrl)?.host;
}

/** Where browsers keep such cookies without TLS. */
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

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

const ALLOWED = { "access-control-allow-credentials": "true", "access-control-expose-headers": "ETag" };

/** Without these, the page can't see the response. @param origins such as `https://example.com`, or `*` for any */
export function corsHeaders({ headers }: Request, origins: readonly string[]): Record<string, string> {
  const origin = headers.get("origin");
  const isAllowed = origins.includes("*") || (origin !== null && origins.includes(origin.toLowerCase()));
  return {
    vary: "accept-encoding, origin",
    ...(isAllowed && { ...ALLOWED, "access-control-allow-origin": origin ?? "*" }),
  };
}

/** What a browser wants to know, without a credential, before a page may make a request. */
export const preflightResponse = ({ req, context }: H3Event) =>
  new HTTPResponse(null, {
    status: 204,
    headers: {
      ...context.cors,
      "access-control-allow-methods": "GET,HEAD,POST,OPTIONS",
      "access-control-allow-headers": req.headers.get("access-control-request-headers") ?? "",
      "access-control-max-age": "86400",
    },
  });

/**
 * The caller's address. Behind a trusted proxy it is the last entry of `X-Forwarded-For`: the proxy wrote that one, and
 * anybody can forge those before it. Undefined once the request has lost its socket, as when a body is refused while
 * it is still arriving.
 */
export function clientAddress(
  { headers, socket }: IncomingMessage,
  trustsProxy: boolean,
): string | undefined {
  const forwarded = trustsProxy ? headers["x-forwarded-for"] : undefined;
  const last = String(forwarded ?? "")
    .split(",")
    .at(-1)!
    .trim();
  return net.isIP(last) ? last : (socket as Socket | null)?.remoteAddress;
}

/** The headers that can identify a caller. */
const CREDENTIALS = ["authorization", "x-api-key", "cookie"] as const;

/** A caller's credentials, always in the same order; caches key by them, so that no caller gets another's response. */
export const credentialsOf = ({ headers }: IncomingMessage): Array<string | string[] | undefined> =>
  CREDENTIALS.map((name) => headers[name]);
