-- What Flagstone takes from the database of an Unleash, 6.x and 8.x: first the tables and columns of it that are read,
-- then, as views, what becomes of them. A column that an older Unleash lacks is NULL.

-- BOOLEAN becomes 0 or 1, TIME our text form; JSON is valid. The number of
-- a row is its rowid, but for events, which are many and must come in the order of their ids.
CREATE TABLE addons (id INTEGER, provider TEXT, description TEXT, enabled BOOLEAN, parameters TEXT, events TEXT,
  projects TEXT, environments TEXT, created_at TIME);
CREATE TABLE api_token_project (secret TEXT, project TEXT);
CREATE TABLE api_tokens (secret TEXT, username TEXT, token_name TEXT, type TEXT, environment TEXT, alias TEXT,
  created_at TIME, expires_at TIME, seen_at TIME);
CREATE TABLE api_tokens_v2 (selector TEXT, verifier TEXT, token_name TEXT, type TEXT, environment TEXT,
  created_at TIME, expires_at TIME, seen_at TIME);
CREATE TABLE api_tokens_v2_project (selector TEXT, project TEXT);
CREATE TABLE banners (id INTEGER, message TEXT, enabled BOOLEAN, variant TEXT, sticky BOOLEAN, icon TEXT, link TEXT,
  link_text TEXT, dialog_title TEXT, dialog TEXT, created_at TIME);
CREATE TABLE client_applications (app_name TEXT, created_at TIME, updated_at TIME, strategies TEXT, description TEXT,
  icon TEXT, url TEXT, color TEXT, announced BOOLEAN, created_by TEXT);
CREATE TABLE client_applications_usage (app_name TEXT, project TEXT, environment TEXT);
CREATE TABLE client_instances (app_name TEXT, instance_id TEXT, client_ip TEXT, last_seen TIME, created_at TIME,
  sdk_version TEXT, environment TEXT);
CREATE TABLE client_metrics_env (feature_name TEXT, app_name TEXT, environment TEXT, timestamp TIME, yes INTEGER,
  no INTEGER);
CREATE TABLE client_metrics_env_variants (feature_name TEXT, app_name TEXT, environment TEXT, timestamp TIME,
  variant TEXT, count INTEGER);
CREATE TABLE context_fields (name TEXT, description TEXT, sort_order INTEGER, legal_values TEXT, stickiness BOOLEAN,
  created_at TIME, project TEXT);
CREATE TABLE dependent_features (parent TEXT, child TEXT, enabled BOOLEAN, variants JSON);
CREATE TABLE environments (name TEXT, type TEXT, sort_order INTEGER, enabled BOOLEAN, protected BOOLEAN);
CREATE TABLE events (id INTEGER PRIMARY KEY, "row" INTEGER, created_at TIME, type TEXT, created_by TEXT, created_by_user_id INTEGER, data TEXT,
  pre_data TEXT, tags TEXT, project TEXT, environment TEXT, feature_name TEXT, group_type TEXT, group_id TEXT);
CREATE TABLE favorite_features (feature TEXT, user_id INTEGER);
CREATE TABLE favorite_projects (project TEXT, user_id INTEGER);
CREATE TABLE feature_environments (environment TEXT, feature_name TEXT, enabled BOOLEAN, variants JSON,
  last_seen_at TIME);
CREATE TABLE feature_lifecycles (feature TEXT, stage TEXT, created_at TIME, status TEXT);
CREATE TABLE feature_link (id TEXT, feature_name TEXT, url TEXT, title TEXT);
CREATE TABLE feature_strategies (id TEXT, feature_name TEXT, environment TEXT, strategy_name TEXT, parameters JSON,
  constraints JSON, sort_order INTEGER, title TEXT, disabled BOOLEAN, variants JSON, created_at TIME);
CREATE TABLE feature_strategy_segment (feature_strategy_id TEXT, segment_id INTEGER);
CREATE TABLE feature_tag (feature_name TEXT, tag_type TEXT, tag_value TEXT);
CREATE TABLE feature_types (id TEXT, lifetime_days INTEGER);
CREATE TABLE features (name TEXT, project TEXT, type TEXT, description TEXT, stale BOOLEAN, impression_data BOOLEAN,
  created_at TIME, created_by_user_id INTEGER, archived_at TIME, potentially_stale BOOLEAN);
CREATE TABLE group_role (group_id INTEGER, role_id INTEGER, project TEXT);
CREATE TABLE group_user (group_id INTEGER, user_id INTEGER, created_at TIME);
CREATE TABLE groups (id INTEGER, name TEXT, description TEXT, created_by TEXT, created_at TIME, mappings_sso TEXT,
  root_role_id INTEGER);
CREATE TABLE integration_events (id TEXT, integration_id INTEGER, created_at TIME, state TEXT, state_details TEXT,
  event JSON, details TEXT);
CREATE TABLE last_seen_at_metrics (feature_name TEXT, environment TEXT, last_seen_at TIME);
CREATE TABLE personal_access_tokens (id INTEGER, secret TEXT, verifier TEXT, description TEXT, user_id INTEGER,
  created_at TIME, expires_at TIME, seen_at TIME);
CREATE TABLE change_request_settings (project TEXT, environment TEXT, required_approvals INTEGER);
CREATE TABLE project_environments (project_id TEXT, environment_name TEXT, default_strategy JSON);
CREATE TABLE project_settings (project TEXT, default_stickiness TEXT, project_mode TEXT, feature_limit INTEGER,
  feature_naming_pattern TEXT, feature_naming_example TEXT, feature_naming_description TEXT, link_templates TEXT);
CREATE TABLE projects (id TEXT, name TEXT, description TEXT, created_at TIME, updated_at TIME, archived_at TIME);
CREATE TABLE public_signup_tokens (secret TEXT, name TEXT, enabled BOOLEAN, created_at TIME, created_by TEXT,
  expires_at TIME);
CREATE TABLE public_signup_tokens_user (secret TEXT, user_id INTEGER);
CREATE TABLE role_permission (role_id INTEGER, permission TEXT, environment TEXT);
CREATE TABLE role_user (role_id INTEGER, user_id INTEGER, project TEXT);
CREATE TABLE roles (id INTEGER, name TEXT, description TEXT, type TEXT);
CREATE TABLE segments (id INTEGER, name TEXT, description TEXT, created_by TEXT, created_at TIME, constraints TEXT,
  segment_project_id TEXT);
CREATE TABLE settings (name TEXT, content TEXT);
CREATE TABLE strategies (name TEXT, title TEXT, description TEXT, parameters TEXT, deprecated BOOLEAN,
  sort_order INTEGER);
CREATE TABLE tag_types (name TEXT, description TEXT, icon TEXT, color TEXT);
CREATE TABLE tags (type TEXT, value TEXT);
CREATE TABLE unknown_flags (name TEXT, app_name TEXT, seen_at TIME, environment TEXT);
CREATE TABLE users (id INTEGER, name TEXT, username TEXT, email TEXT, image_url TEXT, password_hash TEXT,
  login_attempts INTEGER, created_at TIME, seen_at TIME, deleted_at TIME, is_service BOOLEAN, is_system BOOLEAN,
  scim_id TEXT);

-- The last id that each sequence gave.
CREATE TABLE sequences (name TEXT, last INTEGER);
-- All tables of a dump; how many rows are counted of those that are not above.
CREATE TABLE tables_seen (name TEXT PRIMARY KEY, rows INTEGER NOT NULL DEFAULT 0);

-- The views are named after the kinds of a dataset's lines, and their columns after a line's keys; with the table and
-- the row that a line comes from. Values are as they are stored above: what a line takes for JSON is its text.

CREATE VIEW counter AS
SELECT 'sequences' AS "table", rowid AS "row", substr(name, 1, length(name) - length('s_id_seq')) AS "of", last
FROM sequences
WHERE name IN ('banners_id_seq', 'events_id_seq', 'segments_id_seq', 'users_id_seq') AND last > 0
UNION ALL
SELECT 'sequences', rowid, 'integration', last FROM sequences WHERE name = 'addons_id_seq' AND last > 0;

CREATE VIEW setting AS
SELECT 'settings' AS "table", rowid AS "row", name, content FROM settings
WHERE name IN ('unleash.frontend', 'maintenance.mode');

CREATE VIEW banner AS
SELECT 'banners' AS "table", rowid AS "row", id, message, enabled, variant, sticky, icon, link,
  link_text AS linkText, dialog_title AS dialogTitle, dialog, created_at AS createdAt
FROM banners ORDER BY id;

CREATE VIEW environment AS
SELECT 'environments' AS "table", rowid AS "row", name, type, sort_order AS sortOrder, enabled, protected
FROM environments ORDER BY name;

-- The roles 1 to 5 are the same everywhere: 1 to 3 are root roles, 4 and 5 are a project's.
CREATE VIEW role AS
SELECT 'roles' AS "table", rowid AS "row", id, name, iif(type = 'root-custom', 'custom-root', type) AS type, description,
  (SELECT json_group_array(json_object('name', permission, 'environment', nullif(environment, '')))
    FROM role_permission WHERE role_id = roles.id AND permission <> '') AS permissions
FROM roles WHERE id > 5 ORDER BY id;

-- Unleash has users of its own, and keeps the rows of deleted ones.
CREATE VIEW people AS
SELECT rowid AS "row", * FROM users WHERE id > 0 AND is_system IS NOT TRUE AND deleted_at IS NULL;

CREATE VIEW user AS
SELECT 'users' AS "table", "row", id, name, nullif(username, '') AS username, nullif(email, '') AS email,
  image_url AS imageUrl, iif(is_service, 'Service Account', 'User') AS accountType,
  (SELECT role_id FROM role_user LEFT JOIN roles ON roles.id = role_id
    WHERE user_id = people.id AND (role_id <= 3 OR type = 'root-custom') ORDER BY role_id) AS rootRole,
  created_at AS createdAt, seen_at AS seenAt, max(ifnull(login_attempts, 0), 0) AS loginAttempts, scim_id AS scimId,
  password_hash AS passwordHash
FROM people ORDER BY id;

CREATE VIEW "group" AS
SELECT 'groups' AS "table", rowid AS "row", id, name, description, root_role_id AS rootRole, created_at AS createdAt,
  created_by AS createdBy, mappings_sso AS mappingsSSO,
  (SELECT json_group_array(user_id ORDER BY user_id) FROM group_user JOIN people ON people.id = user_id
    WHERE group_id = groups.id) AS users,
  (SELECT json_group_array(json_object('user', user_id, 'at', group_user.created_at) ORDER BY user_id)
    FROM group_user JOIN people ON people.id = user_id
    WHERE group_id = groups.id AND group_user.created_at IS NOT NULL) AS joined
FROM groups ORDER BY id;

-- An alias is a second secret of a token. From 8.0 on, Unleash may store only the hash of a secret, its verifier.
CREATE VIEW token AS
SELECT * FROM (
  SELECT 'api_tokens' AS "table", api_tokens.rowid AS "row", api_tokens.type, coalesce(token_name, username) AS name,
    sha256(given.value) AS hash, NULL AS userId, environment, created_at AS createdAt, expires_at AS expiresAt,
    seen_at AS seenAt,
    (SELECT nullif(json_group_array(project ORDER BY project), '[]') FROM api_token_project AS own
      WHERE own.secret = api_tokens.secret) AS projects
  FROM api_tokens, json_each(json_array(secret, alias)) AS given WHERE given.value <> ''
  UNION ALL
  SELECT 'api_tokens_v2', rowid, type, token_name, verified(verifier), NULL, environment, created_at, expires_at,
    seen_at,
    (SELECT nullif(json_group_array(project ORDER BY project), '[]') FROM api_tokens_v2_project AS own
      WHERE own.selector = api_tokens_v2.selector)
  FROM api_tokens_v2
  UNION ALL
  SELECT 'personal_access_tokens', pats.rowid, 'user', description, coalesce(verified(verifier), sha256(secret)),
    user_id, NULL, pats.created_at, expires_at, pats.seen_at, NULL
  FROM personal_access_tokens AS pats JOIN people ON people.id = user_id)
ORDER BY createdAt, "table", "row";

CREATE VIEW invitation AS
SELECT 'public_signup_tokens' AS "table", rowid AS "row", row_number() OVER (ORDER BY created_at, rowid) AS id, name,
  sha256(secret) AS hash, enabled, created_at AS createdAt, created_by AS createdBy, expires_at AS expiresAt,
  (SELECT json_group_array(user_id ORDER BY user_id) FROM public_signup_tokens_user AS own
    JOIN people ON people.id = user_id WHERE own.secret = public_signup_tokens.secret) AS users
FROM public_signup_tokens;

CREATE VIEW project AS
SELECT 'projects' AS "table", projects.rowid AS "row", id, name, description, project_mode AS mode,
  default_stickiness AS defaultStickiness, created_at AS createdAt, archived_at AS archivedAt,
  updated_at AS updatedAt, feature_limit AS featureLimit,
  iif(feature_naming_pattern <> '', json_object('pattern', feature_naming_pattern, 'example', feature_naming_example,
    'description', feature_naming_description), NULL) AS featureNaming, link_templates AS linkTemplates,
  (SELECT json_group_array(environment_name ORDER BY environment_name) FROM project_environments
    WHERE project_id = projects.id) AS environments,
  (SELECT json_group_array(json_object('environment', environment_name, 'strategy', json(default_strategy))
      ORDER BY environment_name)
    FROM project_environments WHERE project_id = projects.id AND default_strategy <> 'null') AS defaultStrategies,
  (SELECT json_group_array(json_object('environment', environment, 'approvals', required_approvals)
      ORDER BY environment)
    FROM change_request_settings AS settings WHERE settings.project = projects.id
      AND (projects.id, environment) IN (SELECT project_id, environment_name FROM project_environments))
    AS requiredApprovals,
  (SELECT json_group_array(user_id ORDER BY user_id) FROM favorite_projects JOIN people ON people.id = user_id
    WHERE favorite_projects.project = projects.id) AS favoritedBy
FROM projects LEFT JOIN project_settings ON project = projects.id ORDER BY id;

CREATE VIEW projectRole AS
SELECT 'role_user' AS "table", role_user.rowid AS "row", project, role_id AS role, user_id AS user, NULL AS "group"
FROM role_user JOIN people ON people.id = user_id LEFT JOIN roles ON roles.id = role_id
WHERE (role_id IN (4, 5) OR type IN ('project', 'custom')) AND project IN (SELECT id FROM projects)
UNION ALL
SELECT 'group_role', group_role.rowid, project, role_id, NULL, group_id
FROM group_role WHERE project IN (SELECT id FROM projects);

CREATE VIEW tagType AS
SELECT 'tag_types' AS "table", rowid AS "row", name, description, icon FROM tag_types ORDER BY name;

CREATE VIEW tag AS
SELECT 'tags' AS "table", rowid AS "row", type, value FROM tags ORDER BY type, value;

CREATE VIEW contextField AS
SELECT 'context_fields' AS "table", rowid AS "row", name, description, stickiness, sort_order AS sortOrder,
  legal_values AS legalValues, created_at AS createdAt, project
FROM context_fields ORDER BY name;

CREATE VIEW segment AS
SELECT 'segments' AS "table", rowid AS "row", id, name, description, segment_project_id AS project, constraints,
  created_by AS createdBy, created_at AS createdAt
FROM segments ORDER BY id;

-- Of the strategies that both have built in, only whether they are deprecated is the installation's own.
CREATE VIEW strategyType AS
SELECT 'strategies' AS "table", "row", name, deprecated, iif(is_own, title, NULL) AS title,
  iif(is_own, description, NULL) AS description, iif(is_own, parameters, '[]') AS parameters
FROM (SELECT rowid AS "row", *,
    name NOT IN ('flexibleRollout', 'default', 'userWithId', 'remoteAddress', 'applicationHostname') AS is_own
  FROM strategies);

CREATE VIEW featureType AS
SELECT 'feature_types' AS "table", rowid AS "row", id, nullif(lifetime_days, 0) AS lifetimeDays FROM feature_types
WHERE id IN ('release', 'experiment', 'operational', 'kill-switch', 'permission');

CREATE INDEX strategies_of_features ON feature_strategies (feature_name, environment);
CREATE INDEX segments_of_strategies ON feature_strategy_segment (feature_strategy_id);
CREATE INDEX environments_of_features ON feature_environments (feature_name, environment);
CREATE INDEX stages_of_features ON feature_lifecycles (feature);
CREATE INDEX tags_of_features ON feature_tag (feature_name);
CREATE INDEX favorites_of_features ON favorite_features (feature);
CREATE INDEX links_of_features ON feature_link (feature_name);
CREATE INDEX parents_of_features ON dependent_features (child);
CREATE INDEX features_seen ON last_seen_at_metrics (feature_name, environment);

-- A flag may have strategies in an environment without having a state there.
CREATE VIEW states AS
SELECT feature_name, environment, enabled, variants, last_seen_at FROM feature_environments
UNION ALL
SELECT DISTINCT feature_name, environment, 0, '[]', NULL FROM feature_strategies AS strategy
WHERE NOT EXISTS (SELECT 1 FROM feature_environments AS state
  WHERE state.feature_name = strategy.feature_name AND state.environment = strategy.environment);

CREATE VIEW feature AS
SELECT 'features' AS "table", features.rowid AS "row", name, project, type, description, stale,
  impression_data AS impressionData, created_at AS createdAt, created_by_user_id AS createdByUserId,
  archived_at AS archivedAt, potentially_stale AS potentiallyStale,
  (SELECT json_group_array(json_object('stage', stage, 'enteredAt', created_at, 'status', status) ORDER BY created_at)
    FROM feature_lifecycles WHERE feature = features.name) AS stages,
  (SELECT json_group_array(json_object('type', tag_type, 'value', tag_value) ORDER BY tag_type, tag_value)
    FROM feature_tag WHERE feature_name = features.name) AS tags,
  (SELECT json_group_array(user_id ORDER BY user_id) FROM favorite_features JOIN people ON people.id = user_id
    WHERE feature = features.name) AS favoritedBy,
  (SELECT json_group_array(json_object('id', id, 'url', url, 'title', title) ORDER BY id)
    FROM feature_link WHERE feature_name = features.name) AS links,
  (SELECT json_group_array(json_object('feature', parent, 'enabled', enabled, 'variants', json(variants)))
    FROM dependent_features WHERE child = features.name) AS dependencies,
  (SELECT json_group_array(json_object('name', environment, 'enabled', enabled, 'variants', json(variants),
      'lastSeenAt', coalesce(last_seen_at, (SELECT last_seen_at FROM last_seen_at_metrics AS seen
        WHERE seen.feature_name = states.feature_name AND seen.environment = states.environment)),
      'strategies', json((SELECT json_group_array(json_object('id', id, 'name', strategy_name, 'title', nullif(title, ''),
            'disabled', disabled, 'sortOrder', sort_order, 'parameters', json(parameters),
            'constraints', json(constraints), 'variants', json(variants),
            'segments', json((SELECT json_group_array(segment_id ORDER BY segment_id) FROM feature_strategy_segment
              WHERE feature_strategy_id = strategy.id)))
          ORDER BY sort_order, created_at)
        FROM feature_strategies AS strategy
        WHERE strategy.feature_name = states.feature_name AND strategy.environment = states.environment)))
      ORDER BY environment)
    FROM states WHERE feature_name = features.name) AS environments
FROM features ORDER BY name;

CREATE VIEW integration AS
SELECT 'addons' AS "table", rowid AS "row", id, provider, description, enabled, parameters, events, projects,
  environments, created_at AS createdAt
FROM addons ORDER BY id;

-- An event of ours has at most 1 MiB with all its texts.
CREATE VIEW long_events AS
SELECT id FROM events WHERE ifnull(octet_length(data), 0) + ifnull(octet_length(pre_data), 0) > 1000000;

CREATE VIEW event AS
SELECT 'events' AS "table", "row", id, created_at AS createdAt, type, created_by AS createdBy,
  created_by_user_id AS createdByUserId, nullif(environment, '') AS environment, nullif(project, '') AS project,
  feature_name AS featureName, iif(is_long, NULL, data) AS data, iif(is_long, NULL, pre_data) AS preData, tags,
  group_type AS groupType, group_id AS groupId
FROM (SELECT *, id IN (SELECT id FROM long_events) AS is_long FROM events) ORDER BY id;

CREATE VIEW integrationEvent AS
SELECT 'integration_events' AS "table", rowid AS "row", id, integration_id AS integrationId, created_at AS createdAt,
  state, state_details AS stateDetails, event ->> 'id' AS eventId, details
FROM integration_events
WHERE event ->> 'id' IN (SELECT id FROM events) AND integration_id IN (SELECT id FROM addons)
ORDER BY CAST(id AS INTEGER);

CREATE VIEW application AS
SELECT 'client_applications' AS "table", rowid AS "row", app_name AS name, description, url, color, icon, strategies,
  created_by AS createdBy, created_at AS createdAt, updated_at AS updatedAt, announced,
  (SELECT json_group_array(json_object('project', project, 'environment', environment))
    FROM client_applications_usage AS usage WHERE usage.app_name = client_applications.app_name) AS places
FROM client_applications ORDER BY app_name;

CREATE VIEW instance AS
SELECT 'client_instances' AS "table", rowid AS "row", app_name AS application, environment, instance_id AS instance,
  sdk_version AS sdkVersion, client_ip AS clientIp, created_at AS createdAt, last_seen AS seenAt
FROM client_instances;

CREATE INDEX variants_used ON client_metrics_env_variants (feature_name, app_name, environment, timestamp);

-- What applications ask for in vain is known by its use; Unleash keeps it apart.
CREATE VIEW usage AS
SELECT 'client_metrics_env' AS "table", min(rowid) AS "row", feature_name AS feature, environment,
  app_name AS application,
  json_group_array(json_object('hour', timestamp, 'yes', yes, 'no', no, 'variants',
    json((SELECT json_group_object(variant, count) FROM client_metrics_env_variants AS used
      WHERE used.feature_name = hourly.feature_name AND used.app_name = hourly.app_name
        AND used.environment = hourly.environment AND used.timestamp = hourly.timestamp)))) AS hours
FROM client_metrics_env AS hourly GROUP BY feature_name, environment, app_name
UNION ALL
SELECT 'unknown_flags', rowid, name, environment, app_name,
  json_array(json_object('hour', strftime('%Y-%m-%dT%H:00:00.000Z', seen_at)))
FROM unknown_flags
WHERE (name, app_name, environment) NOT IN (SELECT feature_name, app_name, environment FROM client_metrics_env)
  AND environment <> '';

-- What doesn't come along. The first pattern that fits a table's name says why.
CREATE TABLE reasons (pattern TEXT, reason TEXT);

INSERT INTO reasons (pattern, reason) VALUES
  ('change_request*', 'change requests begin anew: apply or cancel the open ones first'),
  ('milestone*', 'Flagstone has no release plans: strategies in force come along as the flag''s own'),
  ('release_plan*', 'Flagstone has no release plans: strategies in force come along as the flag''s own'),
  ('action*', 'Flagstone has no actions and signals'),
  ('signal*', 'Flagstone has no actions and signals'),
  ('*safeguard*', 'Flagstone has no safeguards'),
  ('impact_metrics', 'Flagstone has no impact metrics'),
  ('cdn_tokens', 'these tokens are for a service of the vendor'),
  ('edge_*', 'these are for Edge'),
  ('servicenow_*', 'Flagstone has no part in ServiceNow'),
  ('client_metrics_env_*daily', 'Flagstone keeps use by the hour'),
  ('notifications', 'Flagstone''s notifications begin with its own events'),
  ('user_notifications', 'Flagstone''s notifications begin with its own events'),
  ('stat_*', 'statistics begin anew'), ('*_trends', 'statistics begin anew'), ('project_stats', 'statistics begin anew'),
  ('*_consumption', 'statistics begin anew'), ('onboarding_*', 'statistics begin anew'),
  ('unique_connections', 'statistics begin anew'), ('licensed_users', 'statistics begin anew'),
  ('unleash_session', 'people sign in again'), ('reset_tokens', 'people sign in again'),
  ('login_history', 'the history of sign-ins begins anew'), ('used_passwords', 'old passwords are not kept'),
  ('user_feedback', 'answers to the old page''s questions'), ('user_splash', 'answers to the old page''s questions'),
  ('feedback', 'answers to the old page''s questions'), ('ai_chats', 'Flagstone has no chat'),
  ('user_unsubscription', 'Flagstone sends no such mail'), ('emails_sent', 'Flagstone sends no such mail'),
  ('migrations', 'Unleash''s own bookkeeping'), ('permissions', 'Unleash''s own bookkeeping'),
  ('jobs', 'Unleash''s own bookkeeping'),
  ('*', 'this version of Flagstone doesn''t know this table');

-- Rows that refer to nothing: foreign keys prevent most of them, but not in every version.
CREATE VIEW gone AS
SELECT 'feature_strategies' AS "table" FROM feature_strategies WHERE feature_name NOT IN (SELECT name FROM features)
UNION ALL SELECT 'feature_strategy_segment' FROM feature_strategy_segment
WHERE feature_strategy_id NOT IN (SELECT id FROM feature_strategies)
UNION ALL SELECT 'feature_environments' FROM feature_environments WHERE feature_name NOT IN (SELECT name FROM features)
UNION ALL SELECT 'feature_tag' FROM feature_tag WHERE feature_name NOT IN (SELECT name FROM features)
UNION ALL SELECT 'feature_link' FROM feature_link WHERE feature_name NOT IN (SELECT name FROM features)
UNION ALL SELECT 'dependent_features' FROM dependent_features WHERE child NOT IN (SELECT name FROM features)
UNION ALL SELECT 'role_user' FROM role_user
WHERE role_id NOT IN (SELECT id FROM roles) OR user_id NOT IN (SELECT id FROM users)
  OR project NOT IN (SELECT id FROM projects)
UNION ALL SELECT 'group_role' FROM group_role WHERE project NOT IN (SELECT id FROM projects)
UNION ALL SELECT 'group_user' FROM group_user WHERE user_id NOT IN (SELECT id FROM users)
UNION ALL SELECT 'project_environments' FROM project_environments WHERE project_id NOT IN (SELECT id FROM projects);

CREATE VIEW left_out AS
SELECT name AS "table", rows, (SELECT reason FROM reasons WHERE name GLOB pattern ORDER BY rowid LIMIT 1) AS reason
FROM tables_seen WHERE rows > 0
UNION ALL
SELECT * FROM (
  SELECT 'users', count(*) AS rows, iif(deleted_at IS NULL, 'Unleash''s own users', 'deleted users') AS reason FROM users
  WHERE id NOT IN (SELECT id FROM people) GROUP BY reason
  UNION ALL
  SELECT 'personal_access_tokens', count(*), 'tokens of deleted users' FROM personal_access_tokens
  WHERE user_id NOT IN (SELECT id FROM people)
  UNION ALL
  SELECT 'roles', count(*), 'built in here too' FROM roles WHERE id NOT IN (SELECT id FROM role)
  UNION ALL
  SELECT 'settings', count(*), 'Flagstone has other settings, or takes them from its command line: '
    || group_concat(name, ', ')
  FROM settings WHERE name NOT IN (SELECT name FROM setting)
  UNION ALL
  SELECT 'settings', count(*), 'signing in with passwords was off there, and is on here' FROM settings
  WHERE name = 'unleash.auth.simple' AND json_valid(content) AND content ->> 'disabled'
  UNION ALL
  SELECT 'tag_types', count(*), 'their colours, which Flagstone lacks' FROM tag_types WHERE color IS NOT NULL
  UNION ALL
  SELECT 'feature_types', count(*), 'types of flags that Flagstone lacks: ' || group_concat(id, ', ') FROM feature_types
  WHERE id NOT IN (SELECT id FROM featureType)
  UNION ALL
  SELECT 'integration_events', count(*), 'deliveries of an event or an integration that is gone' FROM integration_events
  WHERE id NOT IN (SELECT id FROM integrationEvent)
  UNION ALL
  SELECT 'addons', count(*), 'what they post to this machine or its network, unless serve has --allow-private-targets'
  FROM addons
  WHERE enabled AND (parameters GLOB '*//localhost[:/"]*' OR parameters GLOB '*//*.local[:/"]*'
    OR parameters GLOB '*//*.internal[:/"]*' OR parameters GLOB '*//127.*' OR parameters GLOB '*//10.*'
    OR parameters GLOB '*//192.168.*' OR parameters GLOB '*//172.[123][0-9].*')
  UNION ALL
  SELECT 'events', count(*), 'the data of events, not the events, if it is longer than a million bytes; the first has the id '
    || min(id)
  FROM long_events
  UNION ALL
  SELECT "table", count(*), 'of something that is gone' FROM gone GROUP BY "table")
WHERE rows > 0;
