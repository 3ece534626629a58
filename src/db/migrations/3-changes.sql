-- What a built-in role may is written in src/auth/permissions.ts.
DELETE FROM role_permissions WHERE role_id <= 5;

ALTER TABLE project_environments ADD COLUMN default_strategy TEXT CHECK (json_type(default_strategy) = 'object');

CREATE TABLE sessions (
  hash       TEXT PRIMARY KEY CHECK (length(hash) = 64),
  user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE deliveries (
  integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  due_at         TEXT NOT NULL,
  attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  PRIMARY KEY (integration_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_by_event ON deliveries (event_id);

CREATE TABLE feature_stages (
  feature    TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  stage      TEXT NOT NULL CHECK (stage IN ('initial', 'pre-live', 'live', 'completed', 'archived')),
  entered_at TEXT NOT NULL,
  status     TEXT,
  PRIMARY KEY (feature, stage)
) STRICT, WITHOUT ROWID;

CREATE INDEX archived_features ON features (archived_at) WHERE archived_at IS NOT NULL;

DROP INDEX features_by_project;
CREATE INDEX features_by_project ON features (project, name, archived_at, type, stale, created_at);
