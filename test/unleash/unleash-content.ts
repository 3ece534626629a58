/** What of a started Unleash is needed to fill it; see `openUnleash`. */
interface Unleash {
  // biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
  ask(method: string, where: string, body?: unknown): Promise<any>;
  psql(sql: string): string;
}

export const PASSWORD = "Str0ng-Passw0rd!x9";

const PROJECT = "/api/admin/projects/default";

/** What the open edition can't create, but stores. */
const ROWS = `
  INSERT INTO environments (name, type, sort_order, enabled, protected) VALUES ('staging', 'test', 7, true, false);
  INSERT INTO projects (id, name, description, created_at) VALUES ('shop', 'Shop', E'tab\\there, \\\\ and\\nline', '2026-01-31 09:00:00.123456'),
    ('old', 'Old', NULL, '2025-01-31 09:00:00');
  UPDATE projects SET archived_at = '2026-02-01 10:00:00+00' WHERE id = 'old';
  INSERT INTO project_settings (project, default_stickiness, project_mode, feature_naming_pattern)
    VALUES ('shop', 'userId', 'protected', '^[a-z-]+$');
  INSERT INTO project_environments (project_id, environment_name, default_strategy) VALUES ('shop', 'development',
      '{"name": "flexibleRollout", "parameters": {"rollout": "50", "groupId": "", "stickiness": "default"}, "constraints": [], "disabled": false}'),
    ('shop', 'staging', NULL), ('old', 'development', NULL);
  INSERT INTO roles (id, name, description, type) VALUES (7, 'Segment keeper', 'keeps segments', 'root-custom'),
    (8, 'Flag maker', NULL, 'custom');
  INSERT INTO role_permission (role_id, permission, environment) VALUES (7, 'CREATE_SEGMENT', NULL), (8, 'CREATE_FEATURE', NULL),
    (8, 'UPDATE_FEATURE_ENVIRONMENT', 'development');
  INSERT INTO groups (id, name, description, created_by, root_role_id) VALUES (3, 'Team', 'a group', 'admin', 2);
  SELECT setval('groups_id_seq', 4);
  SELECT setval('roles_id_seq', 9);
  INSERT INTO addons (provider, description, enabled, parameters, events, projects, environments) VALUES ('webhook', 'to nowhere',
    false, '{"url": "http://127.0.0.1:1/hook", "authorization": "Bearer hush"}', '["feature-created"]', '["default"]', '[]');
  INSERT INTO banners (message, enabled, variant) VALUES ('Hello', true, 'info');
  INSERT INTO client_applications (app_name, created_at, updated_at, seen_at, strategies, announced, created_by)
    VALUES ('till', now(), now(), now(), '["default"]', true, 'unknown');
  INSERT INTO client_applications_usage (app_name, project, environment) VALUES ('till', 'default', 'development');
  INSERT INTO client_instances (app_name, instance_id, client_ip, sdk_version, environment)
    VALUES ('till', 'till-1', '127.0.0.1', 'unleash-client-node:6.1.0', 'development');
  UPDATE users SET deleted_at = now(), email = NULL WHERE username = 'gone';
`;

const memberships = ({ ada, ivy }: Record<string, number>) => `
  INSERT INTO group_user (group_id, user_id, created_by) VALUES (3, ${ivy}, 'admin');
  INSERT INTO group_role (group_id, role_id, project) VALUES (3, 5, 'shop');
  INSERT INTO role_user (role_id, user_id, project) VALUES (4, ${ada}, 'shop'), (8, ${ivy}, 'shop');
  INSERT INTO client_metrics_env (feature_name, app_name, environment, timestamp, yes, no)
    VALUES ('cart', 'till', 'development', date_trunc('hour', now()), 3, 1);
  INSERT INTO client_metrics_env_variants (feature_name, app_name, environment, timestamp, variant, count)
    VALUES ('cart', 'till', 'development', date_trunc('hour', now()), 'red', 3);
  INSERT INTO favorite_projects (project, user_id) VALUES ('shop', ${ada});
  INSERT INTO favorite_features (feature, user_id) VALUES ('cart', ${ada});
  UPDATE feature_environments SET variants = '[{"name": "a", "weight": 500, "weightType": "variable", "stickiness": "default",
      "overrides": [{"contextName": "userId", "values": ["7"]}]}, {"name": "b", "weight": 500, "weightType": "variable",
      "stickiness": "default", "payload": {"type": "json", "value": "{}"}}]'
    WHERE feature_name = 'child' AND environment = 'development';
  INSERT INTO personal_access_tokens (secret, description, user_id, expires_at)
    VALUES ('user:0123456789abcdef', 'laptop', ${ada}, '2099-01-01');
`;

const constraint = (operator: string, keys: object) => ({
  contextName: "userId",
  operator,
  inverted: false,
  caseInsensitive: false,
  ...keys,
});

/** Fills it with something of everything that comes along. @returns the secret of a client token */
export async function fillUnleash(unleash: Unleash): Promise<string> {
  const post = (where: string, body: unknown = {}) => unleash.ask("POST", where, body);
  const users: Record<string, number> = {};
  for (const [username, rootRole] of [
    ["ada", 1],
    ["ivy", 3],
    ["gone", 2],
  ] as const)
    users[username] = (
      await post("/api/admin/user-admin", {
        username,
        email: `${username}@example.com`,
        name: `${username} Ünïcode`,
        password: PASSWORD,
        rootRole,
        sendEmail: false,
      })
    ).id;
  unleash.psql(ROWS);
  await post("/api/admin/context", {
    name: "plan",
    description: "",
    stickiness: true,
    legalValues: [{ value: "pro" }],
  });
  await post("/api/admin/context", { name: "age", description: "in years" });
  await post("/api/admin/tag-types", { name: "team", description: "who", icon: "T" });
  await post("/api/admin/strategies", {
    name: "byPlan",
    description: "custom",
    parameters: [{ name: "plans", type: "list", description: "", required: true }],
  });
  const segment = await post("/api/admin/segments", {
    name: "beta",
    description: "Beta users",
    constraints: [constraint("IN", { values: ["1", "2"] })],
  });
  for (const [name, type] of [
    ["cart", "release"],
    ["child", "experiment"],
    ["gone-flag", "kill-switch"],
    ["stale-flag", "permission"],
  ])
    await post(`${PROJECT}/features`, {
      name,
      type,
      description: name === "cart" ? "tab\\tand\\\\backslash\\nline" : undefined,
    });
  const strategies = `${PROJECT}/features/cart/environments/development/strategies`;
  await post(strategies, {
    name: "flexibleRollout",
    title: "All",
    parameters: { rollout: "100", stickiness: "userId", groupId: "cart" },
    constraints: [
      constraint("STR_CONTAINS", { contextName: "plan", values: ["pro"], caseInsensitive: true }),
      constraint("NUM_GTE", { contextName: "age", value: "18" }),
      constraint("DATE_AFTER", { contextName: "currentTime", value: "2026-01-01T00:00:00.000Z" }),
    ],
    segments: [segment.id],
    variants: [
      {
        name: "red",
        weight: 1000,
        weightType: "variable",
        stickiness: "userId",
        payload: { type: "string", value: "r" },
      },
    ],
  });
  await post(strategies, { name: "byPlan", disabled: true, parameters: { plans: "pro,free" } });
  await post(`${PROJECT}/features/cart/environments/development/on`);
  await post(`${PROJECT}/features/child/environments/production/on`);
  await post(`${PROJECT}/features/child/dependencies`, { feature: "cart", enabled: true, variants: ["red"] });
  await post("/api/admin/features/cart/tags", { type: "team", value: "blue" });
  await unleash.ask("DELETE", `${PROJECT}/features/gone-flag`);
  await unleash.ask("PATCH", `${PROJECT}/features/stale-flag`, [
    { op: "replace", path: "/stale", value: true },
  ]);
  await post("/api/admin/invite-link/tokens", { name: "welcome", expiresAt: "2099-01-01T00:00:00.000Z" });
  const { secret } = await post("/api/admin/api-tokens", {
    tokenName: "app",
    type: "client",
    environment: "development",
    projects: ["default"],
  });
  unleash.psql(memberships(users as Record<"ada" | "ivy", number>));
  return secret;
}
