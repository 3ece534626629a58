import type { IncomingMessage } from "node:http";
import { ANYBODY } from "../access/actor.ts";
import { authenticate } from "../access/authenticate.ts";
import { ROLES } from "../access/permissions.ts";
import { endSession, SESSION_COOKIE, sessionCookie } from "../access/session-store.ts";
import type { Database } from "../db/database.ts";
import { writeSoon } from "../events/write.ts";
import type { Listener } from "../http/listener.ts";
import { clientAddress, credentialsOf, isSecure } from "../http/origin.ts";
import { pathOf } from "../http/path.ts";
import { ApiError } from "../lib/api-error.ts";
import { type Identity, signInIdentity } from "../people/identities.ts";
import { rootRoleNamed } from "../people/roles.ts";
import type { SignInOptions, SigningProxy } from "./options.ts";
import { type Told, toldBy } from "./proxy-headers.ts";

/** Where both pages find out who is signed in. */
const WHO = "/api/admin/user";

/**
 * Begins a session for the person whom a trusted proxy names, before the response cache is asked. Only a read of who is
 * signed in begins one, so that no header changes anything by itself: another site could make a browser send it.
 */
export function withProxySignIn(options: SignInOptions, listener: Listener): Listener {
  const { authProxy, basePath = "" } = options;
  if (!authProxy) return listener;
  return (request, response) => {
    const told = toldBy(authProxy, request);
    if (!told || !asksWho(request, basePath) || isSignedIn(options.db, request, told))
      return listener(request, response);
    return begin(options, authProxy, request, told).then(({ secret, cookie }) => {
      replaceCookie(request, `${SESSION_COOKIE}=${secret}`);
      response.setHeader("set-cookie", cookie);
      return listener(request, response);
    });
  };
}

/** Tokens take precedence. A browser says which site asks. */
function asksWho(request: IncomingMessage, basePath: string) {
  const { method, headers } = request;
  const site = headers["sec-fetch-site"] ?? "none";
  const [authorization, apiKey] = credentialsOf(request);
  const isOwn = site === "same-origin" || site === "none";
  return method === "GET" && pathOf(request) === basePath + WHO && isOwn && !authorization && !apiKey;
}

const sessionIn = ({ headers }: IncomingMessage) =>
  new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([^;]*)`).exec(headers.cookie ?? "")?.[1];

function isSignedIn(db: Database, request: IncomingMessage, { user: proxyUser }: Told) {
  try {
    return Boolean(authenticate(db, { authorization: null, session: sessionIn(request), proxyUser }));
  } catch {
    return false;
  }
}

/** Ends the session of somebody else, if there is one. @throws ApiError `AuthenticationRequired` */
async function begin(options: SignInOptions, { role }: SigningProxy, request: IncomingMessage, told: Told) {
  const { db, trustsProxy = false } = options;
  const address = clientAddress(request, trustsProxy) ?? null;
  const earlier = sessionIn(request);
  const outcome = await writeSoon(db, ANYBODY, (tx) => {
    if (earlier !== undefined) endSession(tx, earlier);
    return signInIdentity(tx, toIdentity(told), admissionFor(tx.db, role), address);
  });
  if ("refusal" in outcome) throw new ApiError("AuthenticationRequired", outcome.refusal);
  const { session } = outcome;
  return {
    secret: session.secret,
    cookie: sessionCookie(session, isSecure(asRequest(request), options)),
  };
}

const toIdentity = ({ user, email, name, groups }: Told): Identity => ({
  method: "proxy",
  issuer: "proxy",
  subject: user,
  username: user,
  email: email ?? null,
  name: name ?? null,
  signOutUrl: null,
  groups,
});

/** The role may have been deleted since the start, and its id given to another. */
function admissionFor(db: Database, name: string | undefined) {
  const role = name === undefined ? undefined : rootRoleNamed(db, name);
  return { autoCreate: role !== undefined, emailDomains: [], rootRole: role?.id ?? ROLES.viewer };
}

/** As much of it as says whether it came over TLS. */
const asRequest = ({ headers, socket }: IncomingMessage) => ({
  url: `${"encrypted" in socket ? "https" : "http"}://${headers.host}`,
  headers: new Headers({ "x-forwarded-proto": String(headers["x-forwarded-proto"] ?? "") }),
});

/** The request goes on as if it had been sent with the session. */
function replaceCookie(request: IncomingMessage, cookie: string) {
  const others = request.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && name.toLowerCase() !== "cookie" ? [name, all[index + 1]!] : [],
  );
  request.rawHeaders = [...others, "cookie", cookie];
  request.headers.cookie = cookie;
}
