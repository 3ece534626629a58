import { getCookie, type H3Event, HTTPResponse } from "h3";
import type { Configuration } from "openid-client";
import { ANYBODY } from "../access/actor.ts";
import { sessionCookie } from "../access/session.ts";
import { randomSecret } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import { writeSoon } from "../events/write.ts";
import { isBelow } from "../http/path.ts";
import { ApiError } from "../lib/api-error.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { openidClient } from "../lib/on-demand.cjs";
import { MINUTE_MS } from "../lib/time.ts";
import { currentProvider, discover, reasonOf } from "../overview/oidc-provider.ts";
import { admissionOf, listed, type OidcSettings } from "../overview/oidc-schema.ts";
import { type Identity, signInIdentity } from "../people/identities.ts";
import type { ServerOptions } from "./options.ts";

/*
 * Signing in at a provider of identities, by OpenID Connect: authorization code, PKCE, state and nonce. openid-client
 * checks what the provider says: its signature, issuer, audience, nonce and times.
 */

/** A sign-in that one browser has begun. */
interface Begun {
  provider: OidcSettings;
  state: string;
  nonce: string;
  verifier: string;
  /** The path to go on to. */
  redirect: string;
  begunAt: number;
}

/** How many sign-ins may be under way, and for how long, in milliseconds. */
const MOST = 10_000;
const LASTS_MS = 10 * MINUTE_MS;

/** Not `Strict`, since the provider's site leads back to us. */
const COOKIE = "flagstone-oidc";

const LOGIN = "/auth/oidc/login";
const CALLBACK = "/auth/oidc/callback";

/** What a 401 says of this way in. */
export const oidcOption = (basePath: string) => ({
  type: "oidc",
  message: "Sign in with OpenID Connect",
  path: basePath + LOGIN,
});

/** The handlers of `GET /auth/oidc/login?redirect=PATH` and of the callback, by their paths. */
export function oidcHandlers(options: ServerOptions) {
  const { db, basePath = "", publicUrl = "" } = options;
  const discovered = discovery(db);
  const begun = new BoundedMap<string, Begun>(MOST);
  const callback = publicUrl + CALLBACK;
  const login = async (event: H3Event, provider: OidcSettings) => {
    const secret = randomSecret();
    const redirect = ownPath(event.url.searchParams.get("redirect"), basePath);
    const client = openidClient();
    const verifier = client.randomPKCECodeVerifier();
    const entry = { provider, state: client.randomState(), nonce: client.randomNonce(), verifier, redirect };
    const acrValues = listed(provider.acrValues);
    const url = client.buildAuthorizationUrl(await discovered(provider), {
      redirect_uri: callback,
      scope: scopesOf(provider),
      ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
      state: entry.state,
      nonce: entry.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    begun.set(secret, { ...entry, begunAt: Date.now() });
    return found(url.href, ownCookie(options, secret, LASTS_MS));
  };
  const finish = async (event: H3Event) => {
    const secret = getCookie(event, COOKIE) ?? "";
    const entry = begun.get(secret);
    begun.delete(secret);
    if (!entry || entry.begunAt + LASTS_MS < Date.now()) throw new SignInError(NOT_BEGUN);
    requireCurrent(db, entry);
    const config = await discover(db, entry.provider); // afresh: it may have new keys
    const identity = await identityFrom(config, new URL(callback + event.url.search), entry, `${publicUrl}/`);
    const { address = null } = event.context;
    const result = await writeSoon(db, ANYBODY, (tx) => {
      requireCurrent(tx.db, entry);
      return signInIdentity(tx, identity, admissionOf(entry.provider), address);
    });
    if ("refusal" in result) throw new SignInError(result.refusal);
    return found(entry.redirect, sessionCookie(result.session, isSecure(options)), ownCookie(options, "", 0));
  };
  return { [LOGIN]: orBack(options, login), [CALLBACK]: orBack(options, finish) };
}

const scopesOf = ({ addGroupsScope, extraScopes }: OidcSettings) =>
  ["openid", "email", "profile", ...(addGroupsScope ? ["groups"] : []), ...listed(extraScopes)].join(" ");

/** The settings may have changed since. */
function requireCurrent(db: Database, { provider }: Begun) {
  if (JSON.stringify(currentProvider(db)) !== JSON.stringify(provider)) throw new SignInError(NOT_BEGUN);
}

const NOT_BEGUN = "This sign-in was begun in another browser, has ended, or took too long: try again";

/** Why somebody is not signed in, in words for them. */
class SignInError extends Error {}

/** Leads back to the sign-in form, with what went wrong: in detail only in the log. */
function orBack(
  options: ServerOptions,
  handle: (event: H3Event, provider: OidcSettings) => Promise<HTTPResponse>,
) {
  const { db, basePath = "", log } = options;
  return async (event: H3Event) => {
    const provider = currentProvider(db);
    if (!provider) throw new ApiError("NotFoundError", "No provider is configured to sign in with");
    try {
      return await handle(event, provider);
    } catch (error) {
      if (!(error instanceof SignInError)) log({ level: "warn", message: `OIDC: ${reasonOf(error)}` });
      const message = error instanceof SignInError ? error.message : problemOf(error);
      return found(`${basePath}/?${new URLSearchParams({ errorMsg: message })}`, ownCookie(options, "", 0));
    }
  };
}

/** The provider's own refusal is for the person; a token or connection that is wrong is for the operator. */
function problemOf(error: unknown) {
  const { AuthorizationResponseError } = openidClient();
  return error instanceof AuthorizationResponseError
    ? `The provider has refused: ${error.error.slice(0, 100)}`
    : "Signing in with the provider failed: the server's log says why";
}

/** How long what a provider has said of itself is used, in milliseconds. */
const KNOWN_MS = 10 * MINUTE_MS;

/** Asks a provider when it is first needed, and again after a while, a failure, or a change of the settings. */
function discovery(db: Database): (provider: OidcSettings) => Promise<Configuration> {
  let known: { key: string; config: Promise<Configuration>; at: number } | undefined;
  return (provider) => {
    const key = JSON.stringify(provider);
    if (known?.key === key && known.at + KNOWN_MS > Date.now()) return known.config;
    const config = discover(db, provider).catch((error) => {
      known = undefined;
      throw error;
    });
    known = { key, config, at: Date.now() };
    return config;
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Exchanges the code for who has signed in. @throws Error for anything that doesn't belong together */
async function identityFrom(
  config: Configuration,
  url: URL,
  { provider, verifier, state, nonce }: Begun,
  home: string,
): Promise<Identity> {
  const client = openidClient();
  const tokens = await client.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const acrValues = listed(provider.acrValues);
  const { iss, sub, acr, ...rest } = tokens.claims()!;
  if (acrValues.length > 0 && !acrValues.includes(String(acr)))
    throw new SignInError("The provider has not signed you in as strictly as it has to here");
  const info: Claims = config.serverMetadata().userinfo_endpoint
    ? await client.fetchUserInfo(config, tokens.access_token, sub)
    : {};
  const claims: Claims = { ...info, ...rest };
  const verified = [rest, info].find((said) => said.email_verified === true);
  return {
    method: "oidc",
    issuer: iss,
    subject: sub,
    username: textOf(claims.preferred_username),
    email: textOf(verified?.email),
    name: textOf(claims.name),
    signOutUrl: provider.enableSingleSignOut ? signOutUrl(config, tokens.id_token!, home) : null,
    groups: provider.enableGroupSyncing ? groupsIn(claims, provider.groupJsonPath || "groups") : undefined,
  };
}

/** A longer token, of somebody in thousands of groups, would fit into no address: the provider asks who it is instead. */
const MAX_HINT = 4096;

/** Where the provider ends its session, and then leads home. */
function signOutUrl(config: Configuration, idToken: string, home: string): string | null {
  if (!config.serverMetadata().end_session_endpoint) return null;
  const hint = idToken.length <= MAX_HINT && { id_token_hint: idToken };
  return openidClient().buildEndSessionUrl(config, { ...hint, post_logout_redirect_uri: home }).href;
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);

/** The names of groups; a single one may stand alone. */
function groupsIn(claims: Claims, groupPath: string): string[] {
  const value = groupPath
    .replace(/^\$\./, "")
    .split(".")
    .reduce<unknown>((found, key) => (found as Claims | undefined)?.[key], claims);
  return [value].flat().filter((name): name is string => typeof name === "string");
}

/** Thousands of sign-ins that nobody finishes shouldn't fill the memory. In characters, of the whole address. */
const MAX_LENGTH = 2048;

/** A path of this server, never of another: other sites may ask for any. */
function ownPath(asked: string | null, basePath: string): string {
  const url = asked?.startsWith("/") ? URL.parse(asked, "http://here.invalid") : null;
  const isOwn =
    url?.origin === "http://here.invalid" &&
    url.href.length <= MAX_LENGTH &&
    !url.pathname.startsWith("//") &&
    isBelow(basePath, url.pathname);
  return isOwn ? url.pathname + url.search + url.hash : `${basePath}/`;
}

/** Browsers reach the callback only by the public URL, also where a proxy in front has the TLS. */
const isSecure = ({ publicUrl = "" }: ServerOptions) => publicUrl.startsWith("https:");

/** The header of our cookie, sent only to this way in. */
const ownCookie = (options: ServerOptions, secret: string, ms: number) =>
  `${COOKIE}=${secret}; Path=${options.basePath ?? ""}/auth/oidc; Max-Age=${ms / 1000}; HttpOnly; SameSite=Lax${isSecure(options) ? "; Secure" : ""}`;

function found(location: string, ...cookies: string[]) {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new HTTPResponse(null, { status: 302, headers });
}
