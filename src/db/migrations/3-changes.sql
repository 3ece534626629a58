-- What a built-in role may is written in src/auth/permissions.ts.
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

CREATE TABLE deliveries (
  integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  due_at         TEXT NOT NULL,
  attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
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

CREATE INDEX archived_features ON features (archived_at) WHERE archived_at IS NOT NULL;
