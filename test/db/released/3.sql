-- The permissions of built-in roles are defined in src/access/permissions.ts.
DELETE FROM role_permissions WHERE role_id <= 5;

ALTER TABLE project_environments ADD COLUMN default_strategy TEXT CHECK (json_type(default_strategy) = 'object');

ALTER TABLE projects ADD COLUMN updated_at TEXT;
ALTER TABLE projects ADD COLUMN feature_limit INTEGER CHECK (feature_limit >= 0);
ALTER TABLE projects ADD COLUMN feature_naming TEXT NOT NULL DEFAULT '{}' CHECK (json_type(feature_naming) = 'object');

CREATE TABLE sessions (
  hash       TEXT PRIMARY KEY CHECK (length(hash) = 64),
  user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE reset_tokens (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  created_by TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE sign_in_links (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE invitations (
  id         INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name       TEXT NOT NULL,
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at TEXT NOT NULL,
  created_by TEXT,
  expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE invitation_users (
  invitation_id INTEGER NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (invitation_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitation_users_by_user ON invitation_users (user_id);

CREATE TABLE notification_mutes (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type    TEXT CHECK (type IN ('change-request', 'toggle')),
  project TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  UNIQUE (user_id, type, project)
) STRICT;

CREATE INDEX notification_mutes_by_project ON notification_mutes (project);

CREATE TABLE banners (
  id           INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  message      TEXT NOT NULL,
  enabled      INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  variant      TEXT NOT NULL DEFAULT 'info' CHECK (variant IN ('info', 'warning', 'error', 'success')),
  sticky       INTEGER NOT NULL DEFAULT 0 CHECK (sticky IN (0, 1)),
  icon         TEXT,
  link         TEXT,
  link_text    TEXT,
  dialog_title TEXT,
  dialog       TEXT,
  created_at   TEXT NOT NULL
) STRICT;

CREATE TABLE feedback (
  user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  feedback_id TEXT NOT NULL,
  given       TEXT,
  never_show  INTEGER NOT NULL CHECK (never_show IN (0, 1)),
  PRIMARY KEY (user_id, feedback_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE splashes (
  user_id   INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  splash_id TEXT NOT NULL,
  PRIMARY KEY (user_id, splash_id)
) STRICT, WITHOUT ROWID;

-- Dropping a table deletes the rows that refer to it, so those are set aside too.
CREATE TABLE integrations_before AS SELECT * FROM integrations;
CREATE TABLE integration_events_before AS SELECT * FROM integration_events;
DROP TABLE integration_events;
DROP TABLE integrations;

CREATE TABLE integrations (
  id           INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  provider     TEXT NOT NULL,
  description  TEXT,
  enabled      INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  parameters   TEXT NOT NULL DEFAULT '{}' CHECK (json_type(parameters) = 'object'),
  events       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(events) = 'array'),
  projects     TEXT NOT NULL DEFAULT '[]' CHECK (json_type(projects) = 'array'),
  environments TEXT NOT NULL DEFAULT '[]' CHECK (json_type(environments) = 'array'),
  paused       INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  created_at   TEXT NOT NULL
) STRICT;

INSERT INTO integrations (id, provider, description, enabled, parameters, events, projects, environments, created_at)
SELECT id, provider, description, enabled, parameters, events, projects, environments, created_at
FROM integrations_before;
DROP TABLE integrations_before;

CREATE TABLE integration_troubles (
  integration_id INTEGER PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  failures       INTEGER NOT NULL CHECK (failures > 0),
  since          TEXT NOT NULL,
  reason         TEXT NOT NULL,
  retry_at       TEXT NOT NULL
) STRICT;

CREATE TABLE integration_events (
  id             INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  created_at     TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('success', 'failed', 'successWithErrors')),
  state_details  TEXT NOT NULL,
  event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  details        TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object')
) STRICT;

CREATE INDEX integration_events_by_integration ON integration_events (integration_id, id);
CREATE INDEX integration_events_by_event ON integration_events (event_id);

INSERT INTO integration_events (id, integration_id, created_at, state, state_details, event_id, details)
SELECT id, integration_id, created_at, state, state_details, event_id, details FROM integration_events_before;
DROP TABLE integration_events_before;

CREATE TABLE deliveries (
  integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  due_at         TEXT NOT NULL,
  attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  remaining      TEXT CHECK (json_type(remaining) = 'array'),
  PRIMARY KEY (integration_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_by_event ON deliveries (event_id);

ALTER TABLE groups ADD COLUMN created_by TEXT;
ALTER TABLE groups ADD COLUMN mappings_sso TEXT NOT NULL DEFAULT '[]' CHECK (json_type(mappings_sso) = 'array');
ALTER TABLE group_users ADD COLUMN joined_at TEXT;
CREATE TABLE feature_stages (
  feature    TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  stage      TEXT NOT NULL CHECK (stage IN ('initial', 'pre-live', 'live', 'completed', 'archived')),
  entered_at TEXT NOT NULL,
  status     TEXT,
  PRIMARY KEY (feature, stage)
) STRICT, WITHOUT ROWID;

ALTER TABLE features ADD COLUMN potentially_stale INTEGER NOT NULL DEFAULT 0 CHECK (potentially_stale IN (0, 1));

-- Flags that are already past their lifetime cause no event.
UPDATE features SET potentially_stale = 1
WHERE created_at < (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now', -lifetime_days || ' days')
  FROM feature_types WHERE id = type);

CREATE INDEX aging_features ON features (type, created_at)
  WHERE potentially_stale = 0 AND stale = 0 AND archived_at IS NULL;
CREATE INDEX archived_features ON features (archived_at) WHERE archived_at IS NOT NULL;

CREATE TABLE settings (
  name    TEXT PRIMARY KEY,
  content TEXT NOT NULL CHECK (json_type(content) = 'object')
) STRICT, WITHOUT ROWID;

INSERT INTO settings (name, content) VALUES ('instance', json_object('id', lower(format('%s-%s-4%s-a%s-%s',
  hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2),
  hex(randomblob(6))))));

-- Tags exist independently of flags.
CREATE TABLE tags (
  type  TEXT NOT NULL REFERENCES tag_types (name) ON DELETE CASCADE ON UPDATE CASCADE,
  value TEXT NOT NULL,
  PRIMARY KEY (type, value)
) STRICT, WITHOUT ROWID;

INSERT INTO tags (type, value) SELECT DISTINCT type, value FROM feature_tags;

CREATE TABLE tags_before AS SELECT feature, type, value FROM feature_tags;
DROP TABLE feature_tags;

CREATE TABLE feature_tags (
  feature TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  type    TEXT NOT NULL,
  value   TEXT NOT NULL,
  PRIMARY KEY (feature, type, value),
  FOREIGN KEY (type, value) REFERENCES tags (type, value) ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX feature_tags_by_tag ON feature_tags (type, value);

INSERT INTO feature_tags (feature, type, value) SELECT feature, type, value FROM tags_before;
DROP TABLE tags_before;

CREATE TABLE context_fields_before AS SELECT * FROM context_fields;
DROP TABLE context_fields;

CREATE TABLE context_fields (
  name         TEXT PRIMARY KEY,
  description  TEXT,
  stickiness   INTEGER NOT NULL DEFAULT 0 CHECK (stickiness IN (0, 1)),
  sort_order   REAL NOT NULL DEFAULT 10,
  legal_values TEXT NOT NULL DEFAULT '[]' CHECK (json_type(legal_values) = 'array'),
  created_at   TEXT NOT NULL
) STRICT;

INSERT INTO context_fields (name, description, stickiness, sort_order, legal_values, created_at)
SELECT name, description, stickiness, sort_order, legal_values, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
FROM context_fields_before;
DROP TABLE context_fields_before;

-- Here as well, the rows that refer to segments are set aside.
CREATE TABLE segments_before AS SELECT * FROM segments;
CREATE TABLE strategy_segments_before AS SELECT * FROM strategy_segments;
DROP TABLE strategy_segments;
DROP TABLE segments;

CREATE TABLE segments (
  id          INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name        TEXT NOT NULL UNIQUE,
  description TEXT,
  project     TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  constraints TEXT NOT NULL DEFAULT '[]' CHECK (json_type(constraints) = 'array'),
  created_by  TEXT,
  created_at  TEXT NOT NULL
) STRICT;

CREATE INDEX segments_by_project ON segments (project);

INSERT INTO segments (id, name, description, project, constraints, created_by, created_at)
SELECT id, name, description, project, constraints, created_by, created_at FROM segments_before;
DROP TABLE segments_before;

CREATE TABLE strategy_segments (
  strategy TEXT NOT NULL REFERENCES strategies (id) ON DELETE CASCADE ON UPDATE CASCADE,
  segment  INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
  PRIMARY KEY (strategy, segment)
) STRICT, WITHOUT ROWID;

CREATE INDEX strategy_segments_by_segment ON strategy_segments (segment);

INSERT INTO strategy_segments (strategy, segment) SELECT strategy, segment FROM strategy_segments_before;
DROP TABLE strategy_segments_before;

CREATE TABLE strategy_context_fields (
  context_field TEXT NOT NULL,
  strategy      TEXT NOT NULL REFERENCES strategies (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (context_field, strategy)
) STRICT, WITHOUT ROWID;

CREATE INDEX strategy_context_fields_by_strategy ON strategy_context_fields (strategy);

CREATE TRIGGER strategies_added AFTER INSERT ON strategies WHEN new.constraints <> '[]' BEGIN
  INSERT INTO strategy_context_fields (context_field, strategy)
    SELECT DISTINCT value ->> 'contextName', new.id FROM json_each(new.constraints);
END;

CREATE TRIGGER strategies_constrained AFTER UPDATE OF constraints ON strategies BEGIN
  DELETE FROM strategy_context_fields WHERE strategy = new.id;
  INSERT INTO strategy_context_fields (context_field, strategy)
    SELECT DISTINCT value ->> 'contextName', new.id FROM json_each(new.constraints);
END;

INSERT INTO strategy_context_fields (context_field, strategy)
SELECT DISTINCT value ->> 'contextName', strategies.id FROM strategies, json_each(strategies.constraints);

CREATE INDEX live_features ON features (created_at, name, project, archived_at) WHERE archived_at IS NULL;
CREATE INDEX seen_features ON feature_environments (feature) WHERE last_seen_at IS NOT NULL;
CREATE INDEX live_features_by_project ON features (project, created_at, name, archived_at) WHERE archived_at IS NULL;

CREATE INDEX events_by_creator ON events (wire ->> 'createdByUserId', project, type);

DROP INDEX features_by_project;
CREATE INDEX features_by_project ON features (project, name, archived_at, type, stale, created_at);

CREATE TABLE applications (
  name        TEXT PRIMARY KEY,
  description TEXT,
  url         TEXT,
  color       TEXT,
  icon        TEXT,
  strategies  TEXT NOT NULL DEFAULT '[]' CHECK (json_type(strategies) = 'array'),
  created_by  TEXT,
  created_at  TEXT NOT NULL,
  updated_at  TEXT NOT NULL,
  announced   INTEGER NOT NULL DEFAULT 0 CHECK (announced IN (0, 1))
) STRICT;

CREATE INDEX unannounced_applications ON applications (name) WHERE announced = 0;

CREATE TABLE application_places (
  application TEXT NOT NULL REFERENCES applications (name) ON DELETE CASCADE ON UPDATE CASCADE,
  project     TEXT NOT NULL,
  environment TEXT NOT NULL,
  PRIMARY KEY (application, project, environment)
) STRICT, WITHOUT ROWID;

CREATE INDEX application_places_by_project ON application_places (project);

CREATE TABLE application_instances (
  application  TEXT NOT NULL,
  environment  TEXT NOT NULL,
  instance     TEXT NOT NULL,
  sdk_version  TEXT,
  client_ip    TEXT,
  created_at   TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  PRIMARY KEY (application, environment, instance)
) STRICT, WITHOUT ROWID;

CREATE INDEX application_instances_by_time ON application_instances (last_seen_at);

CREATE TABLE usage_series (
  id          INTEGER PRIMARY KEY,
  feature     TEXT NOT NULL,
  environment TEXT NOT NULL,
  application TEXT NOT NULL,
  UNIQUE (feature, environment, application)
) STRICT;

CREATE INDEX usage_series_by_application ON usage_series (application, environment, feature);

CREATE TABLE hourly_usage (
  series INTEGER NOT NULL REFERENCES usage_series (id) ON DELETE CASCADE,
  hour   TEXT NOT NULL,
  yes    INTEGER NOT NULL CHECK (yes >= 0),
  no     INTEGER NOT NULL CHECK (no >= 0),
  PRIMARY KEY (series, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX hourly_usage_by_hour ON hourly_usage (hour);

CREATE TABLE hourly_variants (
  series  INTEGER NOT NULL,
  hour    TEXT NOT NULL,
  variant TEXT NOT NULL,
  count   INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (series, hour, variant),
  FOREIGN KEY (series, hour) REFERENCES hourly_usage (series, hour) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE feature_dependencies_before AS SELECT * FROM feature_dependencies;
DROP TABLE feature_dependencies;

CREATE TABLE feature_dependencies (
  feature  TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  parent   TEXT NOT NULL,
  enabled  INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  variants TEXT NOT NULL DEFAULT '[]' CHECK (json_type(variants) = 'array'),
  PRIMARY KEY (feature, parent)
) STRICT, WITHOUT ROWID;

INSERT INTO feature_dependencies (feature, parent, enabled, variants)
SELECT feature, parent, enabled, variants FROM feature_dependencies_before;
DROP TABLE feature_dependencies_before;

CREATE INDEX feature_dependencies_by_parent ON feature_dependencies (parent);

CREATE TRIGGER features_removed AFTER DELETE ON features BEGIN
  DELETE FROM feature_dependencies WHERE parent = old.name;
END;
