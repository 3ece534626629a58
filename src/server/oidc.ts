import { getCookie, type H3Event, HTTPResponse } from "h3";
import type { Configuration, CustomFetchOptions } from "openid-client";
import { ANYBODY } from "../access/actor.ts";
import { sessionCookie } from "../access/session.ts";
import { randomSecret } from "../access/token.ts";
import { writeSoon } from "../events/write.ts";
import { isBelow } from "../http/path.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { openidClient } from "../lib/on-demand.cjs";
import { MINUTE_MS } from "../lib/time.ts";
import { type Identity, signInIdentity } from "../people/identities.ts";
import type { Oidc, ServerOptions } from "./options.ts";

/*
 * Signing in at a provider of identities, by OpenID Connect: authorization code, PKCE, state and nonce. openid-client
 * checks what the provider says: its signature, issuer, audience, nonce and times.
 */

type Options = ServerOptions & { oidc: Oidc };

/** A sign-in that one browser has begun. */
interface Begun {
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
export function oidcHandlers(options: Options) {
  const { basePath = "", oidc, publicUrl } = options;
  const discover = discovery(oidc);
  const begun = new BoundedMap<string, Begun>(MOST);
  const callback = `${publicUrl}${CALLBACK}`;
  const login = async (event: H3Event) => {
    const secret = randomSecret();
    const redirect = ownPath(event.url.searchParams.get("redirect"), basePath);
    const client = openidClient();
    const verifier = client.randomPKCECodeVerifier();
    const entry = { state: client.randomState(), nonce: client.randomNonce(), verifier, redirect };
    const url = client.buildAuthorizationUrl(await discover(), {
      redirect_uri: callback,
      scope: oidc.scopes.join(" "),
      ...(oidc.acrValues.length > 0 && { acr_values: oidc.acrValues.join(" ") }),
      state: entry.state,
      nonce: entry.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    begun.set(secret, { ...entry, begunAt: Date.now() });
    return found(url.href, ownCookie(event, basePath, secret, LASTS_MS));
  };
  const finish = async (event: H3Event) => {
    const secret = getCookie(event, COOKIE) ?? "";
    const entry = begun.get(secret);
    begun.delete(secret);
    if (!entry || entry.begunAt + LASTS_MS < Date.now()) throw new SignInError(NOT_BEGUN);
    const identity = await identityFrom(oidc, await discover(), new URL(callback + event.url.search), entry);
    const { address = null } = event.context;
    const result = await writeSoon(options.db, ANYBODY, (tx) =>
      signInIdentity(tx, identity, oidc.admission, address),
    );
    if ("refusal" in result) throw new SignInError(result.refusal);
    return found(
      entry.redirect,
      sessionCookie(result.session, event.context.isSecure),
      ownCookie(event, basePath, "", 0),
    );
  };
  return { [LOGIN]: orBack(options, login), [CALLBACK]: orBack(options, finish) };
}

const NOT_BEGUN = "This sign-in was begun in another browser, has ended, or took too long: try again";

/** Why somebody is not signed in, in words for them. */
class SignInError extends Error {}

/** Leads back to the sign-in form, with what went wrong: in detail only in the log. */
function orBack({ basePath = "", log }: Options, handle: (event: H3Event) => Promise<HTTPResponse>) {
  return async (event: H3Event) => {
    try {
      return await handle(event);
    } catch (error) {
      if (!(error instanceof SignInError)) log({ level: "warn", message: `OIDC: ${reasonsOf(error)}` });
      const message = error instanceof SignInError ? error.message : problemOf(error);
      return found(
        `${basePath}/?${new URLSearchParams({ errorMsg: message })}`,
        ownCookie(event, basePath, "", 0),
      );
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

/** The messages of an error and of its causes. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const cause = reasonsOf(error.cause);
  return cause === "" ? error.message : `${error.message}: ${cause}`;
}

/** How long what the provider has said of itself is used, in milliseconds, and how long it may take to say it. */
const KNOWN_MS = 10 * MINUTE_MS;
const TIMEOUT_S = 10;

/** Reads the discovery document when it is first needed, and again after a while or a failure. */
function discovery({ discoverUrl, clientId, clientSecret, algorithm }: Oidc): () => Promise<Configuration> {
  let known: { config: Promise<Configuration>; at: number } | undefined;
  return async () => {
    if (known && known.at + KNOWN_MS > Date.now()) return known.config;
    const client = openidClient();
    const url = new URL(discoverUrl);
    const config = client
      .discovery(
        url,
        clientId,
        { id_token_signed_response_alg: algorithm },
        // Some providers take the secret only in one way, and say so.
        (server, ...rest) =>
          server.token_endpoint_auth_methods_supported?.includes("client_secret_post")
            ? client.ClientSecretPost(clientSecret)(server, ...rest)
            : client.ClientSecretBasic(clientSecret)(server, ...rest),
        {
          timeout: TIMEOUT_S,
          [client.customFetch]: fetchSmall,
          execute: [
            client.enableNonRepudiationChecks,
            ...(url.protocol === "http:" ? [client.allowInsecureRequests] : []),
          ],
        },
      )
      .catch((error) => {
        known = undefined;
        throw error;
      });
    known = { config, at: Date.now() };
    return config;
  };
}

/** The longest answer of a provider that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** Like `fetch`, without following redirects; fails for an answer that is too long. */
async function fetchSmall(url: string, init: CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" } as RequestInit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`The provider's answer is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), { status, headers });
}

type Claims = Readonly<Record<string, unknown>>;

/** Exchanges the code for who has signed in. @throws Error for anything that doesn't belong together */
async function identityFrom(
  { acrValues, groupPath }: Oidc,
  config: Configuration,
  url: URL,
  { verifier, state, nonce }: Begun,
): Promise<Identity> {
  const client = openidClient();
  const tokens = await client.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const { iss, sub, acr, ...rest } = tokens.claims()!;
  if (acrValues.length > 0 && !acrValues.includes(String(acr)))
    throw new SignInError("The provider has not signed you in as strictly as it has to here");
  const info = config.serverMetadata().userinfo_endpoint
    ? await client.fetchUserInfo(config, tokens.access_token, sub)
    : {};
  const claims: Claims = { ...info, ...rest };
  return {
    method: "oidc",
    issuer: iss,
    subject: sub,
    username: textOf(claims.preferred_username),
    email: claims.email_verified === true ? textOf(claims.email) : null,
    name: textOf(claims.name),
    groups: groupPath === undefined ? undefined : groupsIn(claims, groupPath),
  };
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

/** A path of this server, never of another: other sites may ask for any. */
function ownPath(asked: string | null, basePath: string): string {
  const url = asked?.startsWith("/") ? URL.parse(asked, "http://here.invalid") : null;
  const isOwn =
    url?.origin === "http://here.invalid" &&
    !url.pathname.startsWith("//") &&
    isBelow(basePath, url.pathname);
  return isOwn ? url.pathname + url.search + url.hash : `${basePath}/`;
}

/** The header of our cookie, sent only to this way in. */
const ownCookie = ({ context }: H3Event, basePath: string, secret: string, ms: number) =>
  `${COOKIE}=${secret}; Path=${basePath}/auth/oidc; Max-Age=${ms / 1000}; HttpOnly; SameSite=Lax${context.isSecure ? "; Secure" : ""}`;

function found(location: string, ...cookies: string[]) {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new HTTPResponse(null, { status: 302, headers });
}
