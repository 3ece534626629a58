import type { IncomingMessage } from "node:http";
import { getCookie, type H3Event, HTTPResponse } from "h3";
import { ANYBODY } from "../access/actor.ts";
import {
  beginSession,
  endSession,
  expiredCookie,
  SESSION_COOKIE,
  sessionCookie,
  useSignInLink,
} from "../access/session-store.ts";
import { writeSoon } from "../events/write.ts";
import { htmlPage } from "../http/open-paths.ts";
import { requireSameOrigin } from "../http/origin.ts";
import { noteSignIn } from "../people/sessions.ts";
import { markSeen, requireUser } from "../people/users-store.ts";
import type { SignInOptions } from "./options.ts";
import { type AuthProxy, toldBy } from "./proxy-headers.ts";

/** The credentials in the headers of a request. */
export const credentialsIn = (event: H3Event, proxy: AuthProxy | undefined) => ({
  authorization: event.req.headers.get("authorization"),
  apiKey: event.req.headers.get("x-api-key"),
  session: getCookie(event, SESSION_COOKIE),
  proxyUser: toldOf(event, proxy)?.user,
});

const toldOf = (event: H3Event, proxy: AuthProxy | undefined) =>
  toldBy(proxy, event.runtime?.node?.req as IncomingMessage | undefined);

/** `GET /auth/link/:secret`: signs in the user of the link, once, and redirects to the home page. */
export function answerSignInLink({ db, basePath = "" }: SignInOptions) {
  return async (event: H3Event) => {
    if (!isOpened(event.req)) return refusal(basePath);
    const secret = event.context.params?.secret ?? "";
    const { address = null } = event.context;
    const session = await writeSoon(db, ANYBODY, (tx) => {
      const link = useSignInLink(tx, secret);
      if (!link) return undefined;
      const failure = link.isExpired ? "The link has expired" : null;
      noteSignIn(tx, { user: requireUser(tx.db, link.userId), method: "link", address, failure });
      if (link.isExpired) return undefined;
      markSeen(tx, link.userId);
      return beginSession(tx, link.userId);
    });
    return session
      ? welcome(`${basePath}/`, sessionCookie(session, event.context.isSecure))
      : refusal(basePath);
  };
}

/**
 * Opened by a person or a program, not by an image on another site or a link preview. Only browsers say which site a
 * request comes from.
 */
const isOpened = ({ method, headers }: Request) =>
  method === "GET" &&
  (!headers.has("sec-fetch-site") || headers.get("sec-fetch-mode") === "navigate") &&
  !headers.has("sec-purpose");

const welcome = (location: string, cookie: string) =>
  new HTTPResponse(null, {
    status: 302,
    headers: {
      location,
      "set-cookie": cookie,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });

const refusal = (basePath: string) =>
  htmlPage(
    "This link no longer signs in",
    `<p>It is unknown, has been used, or is older than 30 minutes. The operator of the server can create another:</p>
<pre>flagstone user link NAME</pre>
<p><a href="${basePath}/">Continue</a> if you are already signed in.</p>`,
    401,
  );

/**
 * `POST /logout`: ends the session, if any, and redirects to the home page; people whom a provider or proxy has signed in
 * go where it signs them out. Other sites can't trigger it.
 */
export function answerSignOut(options: SignInOptions) {
  const { db, basePath = "", authProxy } = options;
  return async (event: H3Event) => {
    requireSameOrigin(event.req, options);
    const secret = getCookie(event, SESSION_COOKIE);
    const there = secret && (await writeSoon(db, ANYBODY, (tx) => endSession(tx, secret)));
    const leave = there || (toldOf(event, authProxy) && authProxy?.logout);
    const location = leave || `${basePath}/`;
    // The page's policy lets no form lead to another site, but the response may.
    const refreshes = leave && event.req.headers.get("accept")?.includes("text/html");
    return new HTTPResponse(`Found. Redirecting to ${location}`, {
      status: refreshes ? 200 : 302,
      headers: {
        ...(refreshes ? { refresh: `0; url=${location}` } : { location }),
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
  htmlPage("Sign out", `<form method="post" action="${root}/logout"><button>Sign out</button></form>`);
