import * as v from "valibot";
import { ROLES } from "../access/permissions.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check } from "../lib/validation.ts";
import type { Oidc } from "../server/options.ts";

const Text = v.pipe(v.string("is missing"), v.trim(), v.nonEmpty("is missing"));

const Yes = v.optional(
  v.pipe(
    v.picklist(["true", "false"], "must be true or false"),
    v.transform((text) => text === "true"),
  ),
);

const List = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(/[\s,]+/)),
    v.filterItems((item) => item !== ""),
  ),
  "",
);

const ALGORITHMS = ["RS256", "RS384", "RS512"] as const;

/** The variables of the original's paid edition, with their meaning there. */
const Variables = v.object({
  OIDC_DISCOVER_URL: v.pipe(
    Text,
    v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), "must be a web address"),
  ),
  OIDC_CLIENT_ID: Text,
  OIDC_CLIENT_SECRET: Text,
  OIDC_AUTO_CREATE: Yes,
  OIDC_AUTO_CREATE_EMAIL_DOMAINS: List,
  OIDC_DEFAULT_ROOT_ROLE: v.optional(v.picklist(["Admin", "Editor", "Viewer"]), "Viewer"),
  OIDC_ENABLE_GROUP_SYNCING: Yes,
  OIDC_GROUP_JSON_PATH: v.optional(Text, "groups"),
  OIDC_ADD_GROUPS_SCOPE: Yes,
  OIDC_ACR_VALUES: List,
  OIDC_ID_TOKEN_SIGNING_ALGORITHM: v.optional(v.picklist(ALGORITHMS), "RS256"),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** The provider that people may sign in with; undefined unless `OIDC_ENABLED` says so. @throws UsageError */
export function readOidc(env: Environment, publicUrl: string | undefined): Oidc | undefined {
  if (env.OIDC_ENABLED !== "true") return undefined;
  if (publicUrl === undefined)
    throw new UsageError("OIDC_ENABLED needs --public-url URL, which the provider leads back to");
  const checked = check(Variables, env);
  if (checked.violations)
    throw new UsageError(`${checked.violations[0].path}: ${checked.violations[0].message}`);
  const { value } = checked;
  const role = value.OIDC_DEFAULT_ROOT_ROLE.toLowerCase() as "admin" | "editor" | "viewer";
  const domains = value.OIDC_AUTO_CREATE_EMAIL_DOMAINS;
  return {
    discoverUrl: value.OIDC_DISCOVER_URL,
    clientId: value.OIDC_CLIENT_ID,
    clientSecret: value.OIDC_CLIENT_SECRET,
    algorithm: value.OIDC_ID_TOKEN_SIGNING_ALGORITHM,
    scopes: ["openid", "email", "profile", ...(value.OIDC_ADD_GROUPS_SCOPE ? ["groups"] : [])],
    acrValues: value.OIDC_ACR_VALUES,
    groupPath: value.OIDC_ENABLE_GROUP_SYNCING ? value.OIDC_GROUP_JSON_PATH : undefined,
    admission: {
      autoCreate: value.OIDC_AUTO_CREATE ?? false,
      emailDomains: domains.map((domain) => domain.replace(/^@/, "").toLowerCase()),
      rootRole: ROLES[role],
    },
  };
}
