import type { Configuration, CustomFetchOptions } from "openid-client";
import * as v from "valibot";
import { openidClient } from "#on-demand";
import type { Database } from "../db/database.ts";
import { decrypt, encrypt } from "../db/secrets.ts";
import { query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import type { Received } from "../http/guarded-send.ts";
import { currentSetting, type Setting, storeSetting } from "../settings/settings.ts";
import { OidcSettings, waysOf } from "./oidc-schema.ts";

/** The stored settings; their secret is encrypted under its name. */
export const OIDC: Setting<OidcSettings> = {
  name: "unleash.enterprise.auth.oidc",
  initial: v.parse(OidcSettings, {}),
};

/** The provider that people may sign in with now; undefined if there is none. */
export function currentProvider(db: Database): OidcSettings | undefined {
  const { oidc, publicUrl } = waysOf(db);
  if (oidc || !publicUrl || !isEnabled(db).get({})) return oidc;
  return currentSetting(db, OIDC);
}

const isEnabled = query<object>(`
  SELECT 1 FROM settings WHERE name = 'unleash.enterprise.auth.oidc' AND content ->> 'enabled'`);

/** Re-encrypts the stored secret with the current key. @returns how many there are */
export function reencryptOidc(tx: Tx): number {
  const settings = currentSetting(tx.db, OIDC);
  if (settings.secret === "") return 0;
  const secret = encrypt(tx.db, decrypt(tx.db, settings.secret, OIDC.name), OIDC.name);
  storeSetting(tx, OIDC, { ...settings, secret });
  return 1;
}

/**
 * Reads what a provider says of itself.
 * @throws Error if it can't be reached, says something else, or isn't allowed; `reasonOf` words it
 */
export async function discover(db: Database, settings: OidcSettings): Promise<Configuration> {
  const client = openidClient();
  const url = new URL(settings.discoverUrl);
  const config = await client.discovery(
    url,
    settings.clientId || "none yet",
    { id_token_signed_response_alg: settings.idTokenSigningAlgorithm },
    // Some providers take the secret only in one way, and say so.
    (server, ...rest) => {
      const isInBody = server.token_endpoint_auth_methods_supported?.includes("client_secret_post");
      const authenticate = isInBody ? client.ClientSecretPost : client.ClientSecretBasic;
      authenticate(decrypt(db, settings.secret, OIDC.name))(server, ...rest);
    },
    {
      [client.customFetch]: (url, init) => ask(db, url, init),
      execute: [
        client.enableNonRepudiationChecks,
        ...(url.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    },
  );
  const { issuer } = config.serverMetadata();
  // The client doesn't compare them if it is given the whole address: any provider could be another one.
  if (!isIssuerAt(issuer, settings)) throw new Error(`its issuer is ${issuer}, another address`);
  return config;
}

/** Whether a provider that calls itself so is the one of the settings: its own address, or that of its description. */
export const isIssuerAt = (issuer: string, { discoverUrl }: Pick<OidcSettings, "discoverUrl">) =>
  URL.canParse(issuer) &&
  bare(issuer) === bare(discoverUrl.replace(/\/\.well-known\/openid-configuration\/?($|\?.*)/, ""));

/** As every spelling of it: without a slash at the end, and what follows a path. */
function bare(address: string) {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/$/, "");
}

/** The longest answer of a provider that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** Like `fetch`, with the limits of deliveries; follows no redirect. @throws Error that says what was asked */
async function ask(db: Database, url: string, init: CustomFetchOptions): Promise<Response> {
  const request = new Request(url, init as RequestInit);
  const headers = Object.fromEntries(request.headers);
  const body = Buffer.from(await request.arrayBuffer());
  try {
    const message = { method: request.method, headers, body };
    return toResponse(await waysOf(db).send(new URL(url), message, MAX_BYTES));
  } catch (error) {
    throw new Error(`${url.split("?")[0]} can't be asked: ${reasonOf(error)}`);
  }
}

/** @throws Error for what no provider answers with */
function toResponse({ response, text }: Received): Response {
  const { statusCode: status = 0, headers } = response;
  const { location, "content-type": type = "" } = headers;
  if (location !== undefined) throw new Error(`it redirects to ${location}`);
  if (/html/.test(type)) throw new Error(`it answers with a page (${status}, ${type})`);
  if (status === 404 || status >= 500) throw new Error(`it answers with the status ${status}`);
  if (!response.complete) throw new Error(`its answer is longer than ${MAX_BYTES} bytes, or ends too early`);
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  );
  return new Response(status === 204 || status === 304 ? null : text, { status, headers: pairs });
}

/** The message of an error's first cause: the later ones say only that something failed. */
export function reasonOf(error: unknown): string {
  const { cause, message, code } = error as NodeJS.ErrnoException;
  return cause instanceof Error ? reasonOf(cause) : message || code || String(error);
}
