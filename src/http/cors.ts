import { type H3Event, HTTPResponse } from "h3";

declare module "h3" {
  interface H3EventContext {
    /** Set where pages of other sites may call: the headers that let them read the response, errors included. */
    cors?: Record<string, string>;
  }
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
