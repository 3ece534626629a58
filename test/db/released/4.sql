-- What version 0.2.0 changes in a data file.

-- Those of an environment, for the statistics.
CREATE INDEX events_by_environment ON events (wire ->> 'environment', id, project)
  WHERE wire ->> 'environment' IS NOT NULL;

-- Integrations receive what their last editor may see; the log knows who that was, unless a dataset brought them.
ALTER TABLE integrations ADD COLUMN edited_by_user_id INTEGER;

UPDATE integrations SET edited_by_user_id = (
  SELECT wire ->> 'createdByUserId' FROM events
  WHERE type IN ('addon-config-created', 'addon-config-updated') AND wire ->> '$.data.id' = integrations.id
  ORDER BY events.id DESC LIMIT 1);

-- Attempts to sign in, for Admins; not part of the log of events. `username` is a user's, whatever was typed: that may be
-- a password. `failure` says why it failed.
CREATE TABLE sign_ins (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at TEXT NOT NULL,
  username   TEXT,
  method     TEXT NOT NULL CHECK (method IN ('simple', 'link')),
  address    TEXT,
  failure    TEXT
) STRICT;

-- The secrets of API tokens, encrypted, if the operator wants to read them back.
ALTER TABLE tokens ADD COLUMN secret TEXT CHECK (secret IS NULL OR type <> 'user');

-- The log of a private project stays hidden when the project is deleted.
CREATE TABLE deleted_private_projects (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE VIEW private_project_ids (id) AS
  SELECT id FROM projects WHERE mode = 'private' UNION ALL SELECT id FROM deleted_private_projects;
