import { type H3, type H3Event, HTTPResponse } from "h3";
import { drawAvatar } from "../access/person.ts";
import type { Database } from "../db/database.ts";
import { requireInPlace } from "../db/file-in-place.ts";
import { ApiError } from "../lib/api-error.ts";
import { VERSION } from "../lib/version.ts";
import { route } from "./mount.ts";
import { toResponse, wholeParts } from "./response.ts";

/**
 * `GET /`: what runs here and where to go next. Needs no credential.
 * @param root the public URL, or the base path
 * @param introduce what it says, as HTML, with the address
 */
export function frontPage(root: string, introduce = introduction) {
  return ({ url }: H3Event) => {
    const address = root.startsWith("http") ? root : `${url.protocol}//${url.host}${root}`;
    return htmlPage(`Flagstone ${VERSION}`, introduce(address));
  };
}

/** A page that needs nothing else. @param content HTML */
export function htmlPage(title: string, content: string, status = 200): HTTPResponse {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Flagstone</title>
<style>
  :root { color-scheme: light dark }
  body { max-width: 46rem; margin: 12vh auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
  pre { overflow-x: auto; padding: 0.75rem 1rem; background: #8882; border-radius: 0.5rem }
  button { padding: 0.5rem 1rem; font: inherit }
</style>
<h1>${title}</h1>
${content}
</html>
`;
  return new HTTPResponse(body, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "cache-control": "no-cache",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

/** @param address as the browser sees it: a scheme, a validated host, and a path set by the operator */
const introduction = (
  address: string,
) => `<p>A feature-flag administration server in one file. It answers the Unleash admin API below
<code>${address}/api/admin</code>; this page is all there is to see in a browser.</p>
<p>Create a token, on the machine that runs it. <code>flagstone user list</code> lists the users;
<code>--data FILE</code> names the data file, unless it is <code>flagstone.db</code>. A demo has printed its token.</p>
<pre>flagstone token create me --user USER</pre>
<p>Make a request with it:</p>
<pre>curl -H "Authorization: TOKEN" ${address}/api/admin/personal-dashboard</pre>
<p>All commands:</p>
<pre>flagstone help</pre>`;

/** `GET /avatars/<sha256>.svg`: needs no credential: browsers fetch images without one, and these reveal nothing. */
export function avatarResponse(event: H3Event): HTTPResponse {
  const hash = /^([0-9a-f]{64})\.svg$/.exec(event.context.params?.file ?? "")?.[1];
  if (hash === undefined) throw new ApiError("NotFoundError", `There is nothing at ${event.url.pathname}`);
  const body = drawAvatar(hash);
  return new HTTPResponse(body, {
    headers: {
      "content-type": "image/svg+xml",
      "content-length": String(Buffer.byteLength(body)),
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

const GOOD = wholeParts(`{"health":"GOOD"}`);
const READY = wholeParts(`{"health":"READY"}`);

/** Two probes that need no credential: `/health` (the process responds) and `/ready` (so does the database). */
export function mountHealth(app: H3, db: Database) {
  route(app, "/health", { GET: (event) => toResponse(GOOD, event.req) });
  route(app, "/ready", {
    GET(event) {
      db.pragma("user_version");
      requireInPlace(db);
      return toResponse(READY, event.req);
    },
  });
}
