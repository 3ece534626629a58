import * as v from "valibot";
import { ROLES } from "../access/permissions.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { createSend, type Sending } from "../http/guarded-send.ts";
import { ShortText, type Violation } from "../lib/validation.ts";
import type { Admission } from "../people/identities.ts";

const Words = v.optional(v.pipe(ShortText, v.trim()), "");
const Flag = v.optional(v.boolean(), false);

const isWebAddress = (text: string) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

/** The issuer, or the address of its discovery document. */
export const DiscoverUrl = v.pipe(
  ShortText,
  v.trim(),
  v.check((text) => text === "" || isWebAddress(text), "must be a web address, without credentials"),
);

export const SigningAlgorithm = v.optional(v.picklist(["RS256", "RS384", "RS512"]), "RS256");

/**
 * How people sign in at a provider of identities (OpenID Connect). Lists are separated by spaces or commas. The stored
 * secret is encrypted. PKCE is always used, whatever `enablePkce` says.
 */
export const OidcSettings = v.object({
  enabled: Flag,
  discoverUrl: v.optional(DiscoverUrl, ""),
  clientId: Words,
  secret: Words,
  autoCreate: Flag,
  enableSingleSignOut: Flag,
  defaultRootRole: v.optional(v.picklist(["Viewer", "Editor", "Admin"]), "Viewer"),
  /** Takes precedence. */
  defaultRootRoleId: v.optional(v.pipe(v.number(), v.safeInteger())),
  emailDomains: Words,
  acrValues: Words,
  idTokenSigningAlgorithm: SigningAlgorithm,
  enableGroupSyncing: Flag,
  groupJsonPath: Words,
  addGroupsScope: Flag,
  enablePkce: v.optional(v.boolean(), true),
  extraScopes: Words,
});
export type OidcSettings = v.InferOutput<typeof OidcSettings>;

/** What an enabled provider lacks. */
export function lackOf(settings: OidcSettings): Violation | undefined {
  const path = (["discoverUrl", "clientId", "secret"] as const).find((name) => settings[name] === "");
  return settings.enabled && path !== undefined ? { path, message: "is missing" } : undefined;
}

export const listed = (text: string) => text.split(/[\s,]+/).filter((item) => item !== "");

/** Who gets an account at the first sign-in. */
export const admissionOf = (settings: OidcSettings): Admission => ({
  autoCreate: settings.autoCreate,
  emailDomains: listed(settings.emailDomains).map((domain) => domain.replace(/^@/, "").toLowerCase()),
  rootRole:
    settings.defaultRootRoleId ??
    ROLES[settings.defaultRootRole.toLowerCase() as Lowercase<OidcSettings["defaultRootRole"]>],
});

/** What the operator has said of signing in; it can't be changed by API. */
export interface GivenWays {
  /** The provider that variables configure, in place of the stored settings. */
  oidc?: OidcSettings | undefined;
  /** The URL that providers lead back to, including the base path. */
  publicUrl?: string | undefined;
  /** A proxy signs people in. */
  hasProxy: boolean;
  /** How providers are asked. */
  sending?: Sending | undefined;
}

type Ways = GivenWays & { send: ReturnType<typeof createSend>["send"] };

/** How long a provider may take to answer, in milliseconds. */
export const PROVIDER_MS = 10_000;

const NO_SENDING: Sending = { allowed: [], env: {}, ca: undefined, timeoutMs: PROVIDER_MS };

export const waysOf = perDatabase((): Ways => toWays({ hasProxy: false }));

const toWays = ({ sending = NO_SENDING, ...given }: GivenWays): Ways => ({
  ...given,
  // Variables name any provider, as command lines name proxies.
  send: createSend({ ...sending, ...(given.oidc && { allowed: ["*"] }) }).send,
});

/** Takes note of what the operator has said. */
export const giveWays = (db: Database, given: GivenWays) => void Object.assign(waysOf(db), toWays(given));
