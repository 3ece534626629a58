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

ALTER TABLE features ADD COLUMN potentially_stale INTEGER NOT NULL DEFAULT 0 CHECK (potentially_stale IN (0, 1));

-- What has become so before is no news.
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
