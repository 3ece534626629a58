import type { Operation } from "../http/operation.ts";

/*
 * For each operation, a request that a person might send, for the API's description. A test sends every one.
 */

/** Example values for path parameters; an operation below may override them. */
const PARAMS: Readonly<Record<string, string>> = {
  projectId: "shop",
  featureName: "first-flag",
  child: "first-flag",
  parent: "base-flag",
  key: "first-flag",
  environment: "development",
  changeId: "1",
  linkId: "the-design",
  strategyId: "5b8f7e3c-3f0a-4c1d-9a52-0d7c6f3b1e24",
  contextField: "plan",
  legalValue: "gold",
  strategyName: "geo",
  appName: "checkout",
  type: "simple",
  value: "urgent",
  token: "shop:development.*****-9",
  tokenId: "7",
  id: "1",
  roleId: "5",
  groupId: "1",
  userId: "2",
  eventId: "1",
};

interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
}

const CONSTRAINT = { contextName: "plan", operator: "IN", values: ["gold"] };

const STRATEGY = {
  name: "flexibleRollout",
  title: "Slow start",
  constraints: [CONSTRAINT],
  parameters: { rollout: "25", stickiness: "default", groupId: "first-flag" },
};

const VARIANTS = [{ name: "blue", weight: 1000, weightType: "variable", stickiness: "default" }];

const LINK = { url: "https://design.example/first-flag", title: "The design" };

const FLAGS = { features: ["first-flag", "base-flag"] };

const UNDONE = { since: "0", project: "shop", feature: "first-flag" };

const IMPORT = {
  project: "shop",
  environment: "development",
  data: {
    features: [{ name: "imported-flag", type: "release" }],
    featureStrategies: [{ name: "default", featureName: "imported-flag" }],
    featureEnvironments: [{ featureName: "imported-flag", enabled: true }],
    tagTypes: [],
  },
};

const WEBHOOK = {
  provider: "webhook",
  enabled: true,
  description: "Posts to the chat",
  parameters: { url: "https://chat.example/hook" },
  events: ["feature-created", "feature-archived"],
};

const REGISTRATION = {
  appName: "checkout",
  instanceId: "checkout-1",
  sdkVersion: "unleash-client-node:6.12.1",
  strategies: ["default", "flexibleRollout"],
  started: "2026-01-31T09:00:00.000Z",
  interval: 60,
};

const HOUR = { start: "2026-01-31T09:00:00.000Z", stop: "2026-01-31T09:01:00.000Z" };

const REPORT = {
  appName: "checkout",
  instanceId: "checkout-1",
  bucket: { ...HOUR, toggles: { "first-flag": { yes: 12, no: 3 } } },
};

const PASSWORD = "four horses graze quietly 4!";

const GOLD = { value: "gold", description: "The best" };
const TIER = { params: { contextField: "tier" } };
const CONTEXT = { appName: "checkout", userId: "7", properties: { plan: "gold" } };

const SCOPES = { tokens: [{ environment: "development", projects: ["shop"] }] };
const TOKEN = { tokenName: "checkout", type: "client", environment: "development" };

const LATER = "2099-01-31T09:00:00.000Z";

const ROLE = {
  name: "Release manager",
  description: "Switches flags in production",
  type: "custom",
  permissions: [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "production" }],
};

const PROPOSED = { feature: "first-flag", action: "updateEnabled", payload: { enabled: true } };

const BANNER = { message: "Maintenance tonight at **nine**", variant: "warning", link: "/projects" };

/** By operation id; an operation that needs only `PARAMS` is not listed. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  createFeature: {
    body: { name: "new-checkout", type: "release", description: "One page instead of three" },
  },
  updateFeature: { body: { type: "experiment", description: "Two pages instead of three" } },
  patchFeature: { body: [{ op: "replace", path: "/stale", value: true }] },
  validateFeature: { body: { name: "new-checkout", projectId: "shop" } },
  cloneFeature: { body: { name: "first-flag-again" } },
  changeProject: { body: { newProjectId: "lab" } },
  deleteFeature: { params: { featureName: "old-flag" } },
  reviveFeature: { params: { featureName: "old-flag" } },
  archiveFeatures: { body: FLAGS },
  validateArchiveFeatures: { body: FLAGS },
  deleteFeatures: { body: { features: ["old-flag"] } },
  reviveFeatures: { body: { features: ["old-flag"] } },
  staleFeatures: { body: { ...FLAGS, stale: true } },
  bulkToggleFeaturesEnvironmentOn: { body: FLAGS },
  bulkToggleFeaturesEnvironmentOff: { body: FLAGS },
  exportFeatures: { body: { environment: "development", features: ["first-flag"] } },
  importToggles: { body: IMPORT },
  validateImport: { body: IMPORT },
  addFeatureDependency: { body: { feature: "base-flag" } },
  complete: { body: { status: "kept" } },
  addTag: { body: { type: "simple", value: "urgent" } },
  updateTags: { body: { addedTags: [{ type: "simple", value: "urgent" }], removedTags: [] } },
  addTagToFeatures: {
    body: { ...FLAGS, tags: { addedTags: [{ type: "simple", value: "urgent" }], removedTags: [] } },
  },
  addFeatureStrategy: { body: STRATEGY },
  updateFeatureStrategy: { body: STRATEGY },
  patchFeatureStrategy: { body: [{ op: "replace", path: "/title", value: "For everyone" }] },
  setStrategySortOrder: { body: [{ id: PARAMS.strategyId, sortOrder: 0 }] },
  addDefaultStrategyToProjectEnvironment: { body: STRATEGY },
  patchFeatureVariants: { body: [{ op: "add", path: "/0", value: VARIANTS[0] }] },
  patchEnvironmentsFeatureVariants: { body: [{ op: "add", path: "/0", value: VARIANTS[0] }] },
  overwriteFeatureVariants: { body: VARIANTS },
  overwriteEnvironmentFeatureVariants: { body: VARIANTS },
  overwriteFeatureVariantsOnEnvironments: { body: { variants: VARIANTS, environments: ["development"] } },
  getPlayground: { body: { environment: "development", projects: ["shop"], context: CONTEXT } },
  getAdvancedPlayground: { body: { environments: ["development"], projects: "*", context: CONTEXT } },
  validateConstraint: { body: CONSTRAINT },
  createSegment: { body: { name: "Gold", description: "Paying customers", constraints: [CONSTRAINT] } },
  updateSegment: { body: { name: "Testers", constraints: [CONSTRAINT] } },
  validateSegment: { body: { name: "Gold" } },
  updateFeatureStrategySegments: {
    body: { projectId: "shop", strategyId: PARAMS.strategyId, environmentId: "development", segmentIds: [1] },
  },
  createContextField: { body: { name: "country", legalValues: [{ value: "DE" }, { value: "FR" }] } },
  updateContextField: { body: { description: "The customer's plan", stickiness: false } },
  validate: { body: { name: "country" } },
  updateContextFieldLegalValue: { body: GOLD },
  createContextFieldForProject: { body: { name: "tier", legalValues: [GOLD] } },
  updateContextFieldForProject: { ...TIER, body: { description: "The shop's tier" } },
  deleteContextFieldForProject: TIER,
  updateContextFieldLegalValueForProject: { ...TIER, body: GOLD },
  deleteContextFieldLegalValueForProject: TIER,
  validateContextFieldNameForProject: { body: { name: "tier" } },
  createTag: { body: { type: "simple", value: "late" } },
  createTagType: { body: { name: "team", description: "The team that owns it", icon: "T" } },
  getTagType: { params: { name: "simple" } },
  updateTagType: { params: { name: "simple" }, body: { description: "Any word", icon: "#" } },
  deleteTagType: { params: { name: "simple" } },
  validateTagType: { body: { name: "team", description: "The team that owns it", icon: "T" } },
  getStrategy: { params: { name: "geo" } },
  createStrategy: { body: { name: "weekdays", parameters: [{ name: "days", type: "list" }] } },
  updateStrategy: { params: { name: "geo" }, body: { description: "By country", parameters: [] } },
  removeStrategy: { params: { name: "geo" } },
  updateFeatureTypeLifetime: { params: { id: "release" }, body: { lifetimeDays: 60 } },
  createEnvironment: { body: { name: "staging", type: "pre-production" } },
  getEnvironment: { params: { name: "development" } },
  updateEnvironment: { params: { name: "development" }, body: { type: "test" } },
  updateSortOrder: { body: { development: 2, production: 1 } },
  removeEnvironment: { params: { name: "spare" } },
  validateEnvironmentName: { body: { name: "staging" } },
  cloneEnvironment: { params: { name: "production" }, body: { name: "staging", type: "pre-production" } },
  toggleEnvironmentOn: { params: { name: "development" } },
  toggleEnvironmentOff: { params: { name: "spare" } },
  addEnvironmentToProject: { body: { environment: "spare" } },
  validateProject: { body: { id: "web" } },
  createProject: { body: { id: "web", name: "Web shop", environments: ["development", "production"] } },
  updateProject: { body: { name: "Shop", description: "The online shop" } },
  updateProjectEnterpriseSettings: { body: { mode: "protected", featureNaming: { pattern: "^[a-z-]+$" } } },
  deleteProject: { params: { projectId: "empty" } },
  archiveProject: { params: { projectId: "empty" } },
  reviveProject: { params: { projectId: "gone" } },
  setProjectAccess: {
    body: {
      roles: [
        { id: 4, users: [1] },
        { id: 5, users: [2], groups: [1] },
      ],
    },
  },
  addAccessToProject: { body: { roles: [5], users: [3] } },
  addRoleAccessToProject: { body: { users: [{ id: 3 }] } },
  setRolesForUser: { body: { roles: [4] } },
  setRolesForGroup: { body: { roles: [5] } },
  getUserRoles: { query: { projectId: "shop" } },
  deprecatedSearchEvents: { body: { type: "feature-created", limit: 10 } },
  searchEvents: { query: { type: "IS:feature-created", limit: "10" } },
  searchFeatures: { query: { project: "IS:shop", query: "first" } },
  createUser: { body: { username: "robin", name: "Robin", rootRole: 2 } },
  updateUser: { params: { id: "3" }, body: { name: "Robin", rootRole: 2 } },
  deleteUser: { params: { id: "3" } },
  deleteInactiveUsers: { body: { ids: [3] } },
  changeUserPassword: { params: { id: "3" }, body: { password: PASSWORD } },
  resetUserPassword: { body: { id: "edith@example.com" } },
  validateUserPassword: { body: { password: PASSWORD } },
  changeMyPassword: { body: { password: PASSWORD, confirmPassword: PASSWORD, oldPassword: "what it was" } },
  createServiceAccount: { body: { username: "ci", name: "The pipeline", rootRole: 2 } },
  createPat: { body: { description: "My laptop", expiresAt: LATER } },
  createServiceAccountToken: { params: { id: "5" }, body: { description: "The pipeline", expiresAt: LATER } },
  getServiceAccountTokens: { params: { id: "5" } },
  getServiceAccountPermissions: { params: { id: "5" } },
  updateServiceAccount: { params: { id: "5" }, body: { name: "The pipeline" } },
  deleteServiceAccount: { params: { id: "5" } },
  deleteServiceAccountToken: { params: { id: "5", tokenId: "9" } },
  createApiToken: { body: { ...TOKEN, projects: ["shop"] } },
  updateApiToken: { body: { expiresAt: LATER } },
  createProjectApiToken: { body: { ...TOKEN, projects: ["shop"] } },
  validateRole: { body: ROLE },
  createRole: { body: ROLE },
  getRoleById: { params: { id: "2" } },
  updateRole: { params: { id: "8" }, body: ROLE },
  deleteRole: { params: { id: "8" } },
  createGroup: { body: { name: "Night shift", users: [{ user: { id: 3 } }] } },
  updateGroup: { body: { name: "Late shift", users: [{ user: { id: 2 } }] } },
  createAddon: { body: WEBHOOK },
  updateAddon: { body: { ...WEBHOOK, enabled: false } },
  importServer: { body: { url: "https://unleash.example.com", token: "*:*.a-secret" } },
  addChangeToChangeRequest: { body: PROPOSED },
  updateChange: { body: { ...PROPOSED, payload: { enabled: false } } },
  updateChangeRequestState: { body: { state: "In review", comment: "Please have a look" } },
  updateChangeRequestTitle: { body: { title: "Open the shop" } },
  updateChangeRequestRequestedApprovers: { body: { reviewers: [2] } },
  addChangeRequestComment: { body: { text: "At nine, please" } },
  getChangeRequestPlayground: { params: { id: "2" }, body: { context: CONTEXT } },
  updateProjectChangeRequestConfig: { body: { changeRequestsEnabled: true, requiredApprovals: 2 } },
  createBanner: { body: BANNER },
  updateBanner: { body: { ...BANNER, enabled: false } },
  createPublicSignupToken: { body: { name: "The new colleagues", expiresAt: LATER } },
  updatePublicSignupToken: { body: { enabled: false } },
  addPublicSignupTokenUser: {
    body: { email: "robin@shop.example", username: "robin", name: "Robin", password: PASSWORD },
  },
  setSimpleSettings: { body: { disabled: false } },
  setOidcSettings: {
    body: {
      enabled: false,
      discoverUrl: "https://id.example/realms/shop",
      clientId: "flagstone",
      secret: "the-secret-of-the-client",
      autoCreate: true,
      emailDomains: "shop.example",
    },
  },
  testOidcProvider: { body: { discoverUrl: "https://id.internal/realms/shop" } },
  toggleMaintenance: { body: { enabled: true } },
  setUiConfig: { body: { frontendSettings: { frontendApiOrigins: ["https://shop.example"] } } },
  setCors: { body: { frontendApiOrigins: ["https://shop.example"] } },
  uiObservability: { body: { errorMessage: "The list stays empty" } },
  createFeatureLink: { body: LINK },
  updateFeatureLink: { body: { ...LINK, title: null } },
  createFeedback: { body: { feedbackId: "first-steps" } },
  updateFeedback: { params: { id: "first-steps" }, body: { neverShow: true } },
  updateSplashSettings: { params: { id: "first-steps" } },
  markNotificationsAsRead: { body: { notifications: [1] } },
  setMutedNotifications: { body: { muted: [{ project: "shop" }] } },
  createApplication: { body: { description: "The checkout pages", color: "green" } },
  getFeatureToggle: { params: { name: "first-flag" } },
  getRawFeatureMetrics: { params: { name: "first-flag" } },
  getFeatureUsageSummary: { params: { name: "first-flag" } },
  registerClientApplication: { body: REGISTRATION },
  registerFrontendClient: { body: REGISTRATION },
  registerClientMetrics: { body: REPORT },
  registerFrontendMetrics: { body: REPORT },
  clientEdgeMetrics: { body: { appName: "edge" } },
  clientBulkMetrics: { body: { applications: [], metrics: [] } },
  bulkMetrics: { body: { applications: [], metrics: [] } },
  getUndoSince: { query: UNDONE },
  undoSince: { body: UNDONE },
  getValidTokens: { body: { tokens: ["shop:development.some-secret"] } },
  edgeCreateOrReturnTokens: { body: SCOPES },
  getPostFrontendFeatures: { body: { context: CONTEXT } },
  evaluateFlag: { body: { context: { targetingKey: "7", plan: "gold" } } },
  evaluateFlags: { body: { context: { targetingKey: "7", plan: "gold" } } },
  login: { body: { username: "robin", password: PASSWORD } },
  prepareSecondFactor: { body: { username: "robin", password: PASSWORD } },
  addSecondFactor: { body: { code: "123456" } },
  removeSecondFactor: { body: { code: "123456" } },
  validatePassword: { body: { password: PASSWORD } },
  sendResetPasswordEmail: { body: { email: "robin@shop.example" } },
  changePassword: { body: { token: "from-the-link", password: PASSWORD } },
};

/** The example for an operation, with every parameter of its path. */
export function exampleOf({ id, path }: Pick<Operation, "id" | "path">): Required<Example> {
  const { params = {}, query = {}, body } = EXAMPLES[id] ?? {};
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const given = names.map((name) => [name, params[name] ?? PARAMS[name] ?? "first-flag"]);
  return { params: Object.fromEntries(given), query, body };
}
