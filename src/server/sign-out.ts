import { getCookie, type H3Event, HTTPResponse } from "h3";
import { ANYBODY } from "../access/actor.ts";
import { endSession, expiredCookie, SESSION_COOKIE } from "../access/session.ts";
import { writeSoon } from "../events/write.ts";
import { htmlResponse } from "../http/front-page.ts";
import { requireSameOrigin } from "../http/origin.ts";
import type { ServerOptions } from "./create-server.ts";

/** `POST /logout`: ends the session, if any, and redirects to the home page. Other sites can't trigger it. */
export function answerSignOut(options: ServerOptions) {
  const { db, basePath = "" } = options;
  return async (event: H3Event) => {
    requireSameOrigin(event.req, options);
    const secret = getCookie(event, SESSION_COOKIE);
    if (secret !== undefined) await writeSoon(db, ANYBODY, (tx) => endSession(tx, secret));
    const location = `${basePath}/`;
    return new HTTPResponse(`Found. Redirecting to ${location}`, {
      status: 302,
      headers: {
        location,
        "set-cookie": expiredCookie,
        "clear-site-data": '"cookies", "storage"',
        "cache-control": "no-store",
        "content-type": "text/plain; charset=utf-8",
      },
    });
  };
}

/** `GET /logout` only asks, since a link or an image must not be able to change anything. @param root prefixes paths */
export const answerSignOutPage = (root: string) => () =>
  htmlResponse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign out</title>
<form method="post" action="${root}/logout"><button>Sign out</button></form>
</html>
`);
