import type { ServerMetadata } from "openid-client";
import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { encrypt } from "../db/secrets.ts";
import { GET, POST } from "../http/operation.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { MASK } from "../lib/text.ts";
import { rootRoles } from "../people/roles.ts";
import { changeSetting, currentSetting, masked } from "../settings/settings.ts";
import { discover, OIDC, reasonOf } from "./oidc-provider.ts";
import { DiscoverUrl, lackOf, OidcSettings, SigningAlgorithm, waysOf } from "./oidc-schema.ts";
import { requireWayIn } from "./password-settings.ts";

const ofOidc = {
  tag: "Instance",
  path: "/api/admin/auth/oidc/settings",
  permission: { permission: ["ADMIN", "UPDATE_AUTH_CONFIGURATION"] },
  response: OidcSettings,
} as const;

export const readOidcSettings = GET({
  ...ofOidc,
  id: "getOidcSettings",
  summary: "How people sign in at a provider (OpenID Connect), with a masked secret",
}).run(({ db }) => masked(waysOf(db).oidc ?? currentSetting(db, OIDC)));

export const changeOidcSettings = POST({
  ...ofOidc,
  id: "setOidcSettings",
  summary: "Set how people sign in at a provider; what is left out is empty, a masked secret stays as it is",
  body: OidcSettings,
  errors: ["InvalidOperationError", "ConflictError"],
  records: ["setting-created", "setting-updated"],
  example: {
    enabled: false,
    discoverUrl: "https://id.example/realms/shop",
    clientId: "flagstone",
    secret: "the-secret-of-the-client",
    autoCreate: true,
    emailDomains: "shop.example",
  },
}).change(({ tx, body }) => {
  const { oidc, publicUrl } = waysOf(tx.db);
  if (oidc)
    throw new ApiError("InvalidOperationError", "The provider is configured by variables (OIDC_ENABLED)");
  const lack = lackOf(body);
  if (lack) throw invalid({ ...lack, path: `body.${lack.path}` });
  if (body.enabled && !publicUrl)
    throw invalid({ path: "body.enabled", message: "needs --public-url, which the provider leads back to" });
  const { defaultRootRoleId: role } = body;
  if (role !== undefined && !rootRoles(tx.db).some(({ id }) => id === role))
    throw invalid({ path: "body.defaultRootRoleId", message: `there is no root role ${role}` });
  const settings = { ...body, secret: storedSecret(tx.db, body) };
  changeSetting(tx, OIDC, settings);
  requireWayIn(tx.db);
  return masked(settings);
});

/** Encrypted, or as it was, but never for another provider: whoever sends a mask doesn't know it. @throws ApiError */
function storedSecret(db: Database, { secret, discoverUrl }: OidcSettings): string {
  if (secret !== MASK) return secret === "" ? "" : encrypt(db, secret, OIDC.name);
  const stored = currentSetting(db, OIDC);
  if (stored.secret !== "" && stored.discoverUrl === discoverUrl) return stored.secret;
  const why = stored.secret === "" ? "no secret is stored" : "the provider has changed";
  throw invalid({ path: "body.secret", message: `is masked, but ${why}: give it in full` });
}

/** What a provider says of itself; empty where it says nothing. With a `problem`, nobody can sign in there. */
export const OidcProvider = v.strictObject({
  problem: v.nullable(v.string()),
  issuer: v.string(),
  authorizationEndpoint: v.string(),
  tokenEndpoint: v.string(),
  endSessionEndpoint: v.string(),
  algorithms: v.array(v.string()),
});

export const testOidcProvider = POST({
  ...ofOidc,
  id: "testOidcProvider",
  summary: "Ask a provider what it says of itself, or the one that variables configure; nothing is stored",
  path: "/api/admin/auth/oidc/test",
  body: v.object({ discoverUrl: DiscoverUrl, idTokenSigningAlgorithm: SigningAlgorithm }),
  isUncached: true,
  response: OidcProvider,
  example: { discoverUrl: "https://id.internal/realms/shop" },
}).run(async ({ db, body }) => {
  const settings = waysOf(db).oidc ?? { ...currentSetting(db, OIDC), ...body };
  try {
    return described((await discover(db, settings)).serverMetadata(), settings);
  } catch (error) {
    return described({}, settings, reasonOf(error));
  }
});

function described(
  metadata: Partial<ServerMetadata>,
  { idTokenSigningAlgorithm: wanted }: OidcSettings,
  problem?: string,
): v.InferOutput<typeof OidcProvider> {
  const algorithms = metadata.id_token_signing_alg_values_supported ?? [];
  const unsuited = `The provider signs with ${algorithms.join(", ") || "nothing it names"}, not with ${wanted}`;
  return {
    problem: problem ?? (algorithms.includes(wanted) ? null : unsuited),
    issuer: metadata.issuer ?? "",
    authorizationEndpoint: metadata.authorization_endpoint ?? "",
    tokenEndpoint: metadata.token_endpoint ?? "",
    endSessionEndpoint: metadata.end_session_endpoint ?? "",
    algorithms,
  };
}
