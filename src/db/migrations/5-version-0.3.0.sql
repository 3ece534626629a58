-- What version 0.3.0 changes in a data file.

-- Notifications are made when they are read: one has a project, whose members it is for, unless it names its recipients, as
-- those of older files do.
ALTER TABLE notifications ADD COLUMN project TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX notifications_by_project ON notifications (project, type, created_at, id, created_by_user_id)
  WHERE project IS NOT NULL;

CREATE TABLE notification_reads (
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  read_at         TEXT NOT NULL,
  PRIMARY KEY (notification_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_reads_by_user ON notification_reads (user_id);

-- Name and description as searches look at them: folded (src/lib/text.ts), with an 'a' between, which no folded text contains.
ALTER TABLE features ADD COLUMN folded TEXT NOT NULL DEFAULT '';

-- The newest last_seen_at of its environments.
ALTER TABLE features ADD COLUMN seen_at TEXT;

UPDATE features SET folded = fold(name) || 'a' || fold(ifnull(description, '')),
  seen_at = (SELECT max(last_seen_at) FROM feature_environments WHERE feature = name);

DROP INDEX seen_features;

-- The last use of a project.
CREATE INDEX features_by_use ON features (project, seen_at) WHERE seen_at IS NOT NULL;
-- The health of a project.
CREATE INDEX live_features_by_type ON features (project, stale, type, created_at, archived_at) WHERE archived_at IS NULL;

-- The search index is merged between changes, by the server.
INSERT INTO event_searches (event_searches, rank) VALUES ('automerge', 0), ('crisismerge', 64);

-- What a flag links to, and what a project's new flags link to.
CREATE TABLE feature_links (
  id      TEXT PRIMARY KEY,
  feature TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  url     TEXT NOT NULL,
  title   TEXT
) STRICT;

CREATE INDEX feature_links_by_feature ON feature_links (feature);

ALTER TABLE projects ADD COLUMN link_templates TEXT NOT NULL DEFAULT '[]' CHECK (json_type(link_templates) = 'array');

-- A context field that only the strategies of a project may use.
ALTER TABLE context_fields ADD COLUMN project TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX context_fields_by_project ON context_fields (project);

-- The events of one change are undone together.
ALTER TABLE events ADD COLUMN first_id INTEGER;

CREATE INDEX events_by_change ON events (first_id) WHERE first_id IS NOT NULL;

-- Whether people are asked before they change a flag in an environment.
ALTER TABLE environments ADD COLUMN ask_before_change INTEGER NOT NULL DEFAULT 0 CHECK (ask_before_change IN (0, 1));

-- Attempts to sign in know whose they are, and may come through another system.
ALTER TABLE sign_ins RENAME TO old_sign_ins;

CREATE TABLE sign_ins (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at TEXT NOT NULL,
  user_id    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  username   TEXT,
  method     TEXT NOT NULL CHECK (method IN ('simple', 'link', 'oidc', 'proxy')),
  address    TEXT,
  failure    TEXT
) STRICT;

INSERT INTO sign_ins (id, created_at, username, method, address, failure)
  SELECT id, created_at, username, method, address, failure FROM old_sign_ins;

DROP TABLE old_sign_ins;

CREATE INDEX sign_ins_by_user ON sign_ins (user_id) WHERE user_id IS NOT NULL;

-- The second factors of passwords. The secret is encrypted; there is none to ask for until `enabled_at`. `recovery` has the
-- SHA-256 of each recovery code that is left.
CREATE TABLE second_factors (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret     TEXT NOT NULL,
  enabled_at TEXT,
  last_step  INTEGER NOT NULL DEFAULT 0,
  wrong      INTEGER NOT NULL DEFAULT 0,
  recovery   TEXT NOT NULL DEFAULT '[]' CHECK (json_type(recovery) = 'array')
) STRICT;

-- Accounts of other systems. One belongs to the issuer's subject, whatever names and addresses it has later; a user has at
-- most one of each issuer.
CREATE TABLE identities (
  issuer  TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;

-- The header of a proxy begins a session, which is valid only together with it.
ALTER TABLE sessions ADD COLUMN proxy_user TEXT;

-- A sign-out may lead to the provider that signed in.
ALTER TABLE sessions ADD COLUMN sign_out_url TEXT;

ALTER TABLE environments ADD COLUMN required_approvals INTEGER CHECK (required_approvals BETWEEN 1 AND 10);

ALTER TABLE project_environments ADD COLUMN required_approvals INTEGER CHECK (required_approvals BETWEEN 1 AND 10);

-- Changes of flags and segments that are proposed, approved, and applied together. Its author is a user, who may be deleted,
-- or -42 for a service token. One with a `schedule` is applied at a time: its `status`, `scheduledAt`, `scheduledBy` and
-- perhaps a `reason`.
CREATE TABLE change_requests (
  id               INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  project          TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  environment      TEXT NOT NULL REFERENCES environments (name) ON DELETE CASCADE ON UPDATE CASCADE,
  title            TEXT,
  state            TEXT NOT NULL DEFAULT 'Draft'
    CHECK (state IN ('Draft', 'In review', 'Approved', 'Scheduled', 'Applied', 'Cancelled', 'Rejected')),
  -- When it entered each state last.
  state_timestamps TEXT NOT NULL CHECK (json_type(state_timestamps) = 'object'),
  min_approvals    INTEGER NOT NULL,
  created_by       INTEGER NOT NULL,
  created_at       TEXT NOT NULL,
  schedule         TEXT CHECK (json_type(schedule) = 'object'),
  CHECK ((state = 'Scheduled') = (schedule IS NOT NULL))
) STRICT;

-- Each author has one that is open, per environment.
CREATE UNIQUE INDEX open_change_requests ON change_requests (project, environment, created_by)
  WHERE state IN ('Draft', 'In review', 'Approved');

CREATE INDEX scheduled_change_requests ON change_requests (state) WHERE state = 'Scheduled';

CREATE INDEX change_requests_by_environment ON change_requests (environment);

-- `before` is what a change is about as it was when the change was added or sent to review; NULL if it is about nothing
-- that was there.
CREATE TABLE change_request_changes (
  id             INTEGER PRIMARY KEY,
  change_request INTEGER NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  feature        TEXT, -- NULL for a segment
  action         TEXT NOT NULL,
  payload        TEXT CHECK (json_valid(payload)),
  before         TEXT CHECK (json_valid(before)),
  created_at     TEXT NOT NULL
) STRICT;

CREATE INDEX change_request_changes_by_request ON change_request_changes (change_request);

CREATE INDEX change_request_changes_by_feature ON change_request_changes (feature) WHERE feature IS NOT NULL;

-- An approval counts as long as everything that the changes are about is as it was: `subjects` is the SHA-256 of that.
CREATE TABLE change_request_votes (
  change_request INTEGER NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  user_id        INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  approves       INTEGER NOT NULL CHECK (approves IN (0, 1)),
  subjects       TEXT NOT NULL,
  created_at     TEXT NOT NULL,
  PRIMARY KEY (change_request, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX change_request_votes_by_user ON change_request_votes (user_id);

CREATE TABLE change_request_comments (
  id             INTEGER PRIMARY KEY,
  change_request INTEGER NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  text           TEXT NOT NULL,
  created_by     INTEGER NOT NULL,
  created_at     TEXT NOT NULL
) STRICT;

CREATE INDEX change_request_comments_by_request ON change_request_comments (change_request);

-- Who was asked to approve.
CREATE TABLE change_request_reviewers (
  change_request INTEGER NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  user_id        INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (change_request, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX change_request_reviewers_by_user ON change_request_reviewers (user_id);
