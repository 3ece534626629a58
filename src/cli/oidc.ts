import { convert } from "../http/body.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check, type Violation } from "../lib/validation.ts";
import { lackOf, OidcSettings } from "../sign-in/oidc-schema.ts";

/** The variables of the original's paid edition, by what they set. */
const VARIABLES: Readonly<Record<string, string>> = {
  enabled: "OIDC_ENABLED",
  discoverUrl: "OIDC_DISCOVER_URL",
  clientId: "OIDC_CLIENT_ID",
  secret: "OIDC_CLIENT_SECRET",
  autoCreate: "OIDC_AUTO_CREATE",
  emailDomains: "OIDC_AUTO_CREATE_EMAIL_DOMAINS",
  enableGroupSyncing: "OIDC_ENABLE_GROUP_SYNCING",
  groupJsonPath: "OIDC_GROUP_JSON_PATH",
  addGroupsScope: "OIDC_ADD_GROUPS_SCOPE",
  defaultRootRole: "OIDC_DEFAULT_ROOT_ROLE",
  acrValues: "OIDC_ACR_VALUES",
  idTokenSigningAlgorithm: "OIDC_ID_TOKEN_SIGNING_ALGORITHM",
  enableSingleSignOut: "OIDC_ENABLE_SINGLE_SIGN_OUT",
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The provider that people may sign in with; undefined unless `OIDC_ENABLED` says so. @throws UsageError */
export function readOidc(env: Environment, publicUrl: string | undefined): OidcSettings | undefined {
  if (env.OIDC_ENABLED !== "true") return undefined;
  if (!publicUrl)
    throw new UsageError("OIDC_ENABLED needs --public-url URL, which the provider leads back to");
  const given = Object.entries(VARIABLES).map(([key, variable]) => [key, env[variable] || undefined]);
  const checked = check(OidcSettings, convert(OidcSettings, Object.fromEntries(given)));
  if (checked.violations) throw usageError(checked.violations[0]);
  const lack = lackOf(checked.value);
  if (lack) throw usageError(lack);
  return checked.value;
}

const usageError = ({ path, message }: Violation) => new UsageError(`${VARIABLES[path]}: ${message}`);
