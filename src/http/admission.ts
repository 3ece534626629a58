import type { IncomingMessage } from "node:http";
import { invalid } from "../lib/api-error.ts";

const SINGLE: ReadonlySet<string> = new Set(["authorization", "host"]);

const HOST = /^(\[[\da-f:.]+\]|[\w.~-]+)(:\d{1,5})?$/i;

/**
 * What every request must satisfy before anything else looks at it: a URL is built from its target and its `Host`, and
 * its credential must be unambiguous.
 * @throws ApiError `ValidationError` naming the header, or the request's target.
 */
export function requireWellFormed({ rawHeaders, headers, url = "/", method, httpVersion }: IncomingMessage) {
  requireOnce(rawHeaders);
  const { host } = headers;
  if (host === undefined && httpVersion === "1.1")
    throw invalid({ path: "headers.host", message: "is missing" });
  if (host !== undefined && !isHost(host)) {
    throw invalid({
      path: "headers.host",
      message: "must be a host name or an address, optionally with a port",
    });
  }
  if (url.startsWith("/") || (url === "*" && method === "OPTIONS") || isHttpUrl(url)) return;
  throw invalid({ path: "request", message: "must have a path that begins with a slash" });
}

/** Of duplicates, Node keeps the first; a proxy in front may have checked the last. */
function requireOnce(rawHeaders: string[]) {
  let seen = "";
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name)) throw invalid({ path: `headers.${name}`, message: "is given more than once" });
    seen += name;
  }
}

/** Rejects what only looks like an address, such as 999.1.1.1. */
const isHost = (host: string) => HOST.test(host) && URL.canParse(`http://${host}`);

const isHttpUrl = (target: string) => /^https?:\/\//i.test(target) && URL.canParse(target);
