import { getCookie, type H3Event, HTTPResponse } from "h3";
import type { Configuration } from "openid-client";
import { openidClient } from "#on-demand";
import { ANYBODY } from "../access/actor.ts";
import { sessionCookie } from "../access/session-store.ts";
import { hashSecret } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import { decrypt, encrypt, isEncrypted, UnreadableSecretError } from "../db/secrets.ts";
import { writeSoon } from "../events/write.ts";
import { isBelow } from "../http/path.ts";
import { ApiError } from "../lib/api-error.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { type Identity, signInIdentity } from "../people/identities.ts";
import { currentProvider, discover, reasonOf } from "./oidc-provider.ts";
import { admissionOf, listed, type OidcSettings } from "./oidc-schema.ts";
import type { SignInOptions } from "./options.ts";

/*
 * Signing in at a provider of identities, by OpenID Connect: authorization code, PKCE, state and nonce. openid-client
 * checks what the provider says: its signature, issuer, audience, nonce and times.
 */

/** A sign-in that a browser has begun. It keeps this itself, encrypted: others can begin any number without cost to it. */
interface Begun {
  /** The fingerprint of the settings then. */
  settings: string;
  state: string;
  nonce: string;
  verifier: string;
  /** The path to go on to. */
  redirect: string;
  /** In milliseconds. */
  begunAt: number;
}

/** How long a sign-in may take, in milliseconds. */
const LASTS_MS = 10 * MINUTE_MS;

/** How many that have come back are remembered, since each counts once. */
const MOST = 10_000;

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
export function oidcHandlers(options: SignInOptions) {
  const { db, basePath = "", publicUrl = "" } = options;
  const discovered = discovery(db);
  const returned = new BoundedMap<string, true>(MOST);
  const callback = publicUrl + CALLBACK;
  const login = async (event: H3Event, provider: OidcSettings) => {
    const redirect = ownPath(event.url.searchParams.get("redirect"), basePath);
    const client = openidClient();
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const acrValues = listed(provider.acrValues);
    const url = client.buildAuthorizationUrl(await discovered(provider), {
      redirect_uri: callback,
      scope: scopesOf(provider),
      ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const settings = fingerprintOf(provider);
    const begun: Begun = { settings, state, nonce, verifier, redirect, begunAt: Date.now() };
    return found(url.href, ownCookie(options, encrypt(db, JSON.stringify(begun), COOKIE), LASTS_MS));
  };
  const finish = async (event: H3Event, provider: OidcSettings) => {
    const begun = begunIn(db, getCookie(event, COOKIE) ?? "");
    const isThis = begun?.state === event.url.searchParams.get("state") && !returned.get(begun.state);
    if (!isThis || begun.begunAt + LASTS_MS < Date.now()) throw new SignInError(NOT_BEGUN);
    returned.set(begun.state, true);
    requireSame(begun, provider);
    const config = await discover(db, provider); // afresh: it may have new keys
    const url = new URL(callback + event.url.search);
    const identity = await identityFrom(config, url, provider, begun, `${publicUrl}/`);
    const { address = null } = event.context;
    const result = await writeSoon(db, ANYBODY, (tx) => {
      requireSame(begun, currentProvider(tx.db));
      return signInIdentity(tx, identity, admissionOf(provider), address);
    });
    if ("refusal" in result) throw new SignInError(result.refusal);
    return found(begun.redirect, sessionCookie(result.session, isSecure(options)), ownCookie(options, "", 0));
  };
  return { [LOGIN]: orBack(options, login), [CALLBACK]: orBack(options, finish) };
}

/** Undefined for what we have not encrypted. */
function begunIn(db: Database, cookie: string): Begun | undefined {
  try {
    return isEncrypted(cookie) ? JSON.parse(decrypt(db, cookie, COOKIE)) : undefined;
  } catch (error) {
    if (error instanceof UnreadableSecretError) return undefined;
    throw error;
  }
}

const scopesOf = ({ addGroupsScope, extraScopes }: OidcSettings) =>
  ["openid", "email", "profile", ...(addGroupsScope ? ["groups"] : []), ...listed(extraScopes)].join(" ");

/** The settings may have changed since. */
function requireSame({ settings }: Begun, provider: OidcSettings | undefined) {
  if (!provider || fingerprintOf(provider) !== settings) throw new SignInError(NOT_BEGUN);
}

const fingerprintOf = (provider: OidcSettings) => hashSecret(JSON.stringify(provider));

const NOT_BEGUN = "This sign-in was begun in another browser, has ended, or took too long: try again";

/** Why somebody is not signed in, in words for them. */
class SignInError extends Error {}

/** Leads back to the sign-in form, with what went wrong: in detail only in the log. */
function orBack(
  options: SignInOptions,
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
      return found(`${basePath}/?${new URLSearchParams({ errorMsg: message })}`);
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
  provider: OidcSettings,
  { verifier, state, nonce }: Begun,
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
  const { iss, sub, acr, azp = provider.clientId, ...rest } = tokens.claims()!;
  if (sub === "") throw new SignInError("The provider does not say who you are");
  if (azp !== provider.clientId) throw new SignInError("The provider has signed you in to another program");
  if (acrValues.length > 0 && !acrValues.includes(acr as string))
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

/** What fits into a cookie, with the rest of it. In characters, of the whole address. */
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
const isSecure = ({ publicUrl = "" }: SignInOptions) => publicUrl.startsWith("https:");

/** The header of our cookie, sent only to this way in. */
const ownCookie = (options: SignInOptions, secret: string, ms: number) =>
  `${COOKIE}=${secret}; Path=${options.basePath ?? ""}/auth/oidc; Max-Age=${ms / 1000}; HttpOnly; SameSite=Lax${isSecure(options) ? "; Secure" : ""}`;

function found(location: string, ...cookies: string[]) {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new HTTPResponse(null, { status: 302, headers });
}
