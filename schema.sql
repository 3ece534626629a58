-- The complete, current schema. New files are created from it; older ones are upgraded
-- to it by src/db/migrations.ts. No table is defined anywhere else.
--
-- Times are RFC 3339 text in UTC with milliseconds, so that they sort and go on
-- the wire unchanged. Booleans are 0 or 1. JSON columns contain compact text that
-- is already in the form of the API's responses.

-- Environments and projects ---------------------------------------------------

CREATE TABLE environments (
  name       TEXT PRIMARY KEY,
  type       TEXT NOT NULL,
  sort_order REAL NOT NULL DEFAULT 9999,
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  protected  INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  -- Whether people are asked before they change a flag there.
  ask_before_change INTEGER NOT NULL DEFAULT 0 CHECK (ask_before_change IN (0, 1)),
  -- How many must approve a change there, in projects created from now on; NULL for none.
  required_approvals INTEGER CHECK (required_approvals BETWEEN 1 AND 10)
) STRICT;

CREATE TABLE projects (
  id                 TEXT PRIMARY KEY,
  name               TEXT NOT NULL,
  description        TEXT,
  mode               TEXT NOT NULL DEFAULT 'open' CHECK (mode IN ('open', 'protected', 'private')),
  default_stickiness TEXT NOT NULL DEFAULT 'default',
  created_at         TEXT NOT NULL,
  archived_at        TEXT,
  updated_at         TEXT,
  feature_limit      INTEGER CHECK (feature_limit >= 0),
  -- The naming convention for flags: pattern, example and description.
  feature_naming     TEXT NOT NULL DEFAULT '{}' CHECK (json_type(feature_naming) = 'object'),
  -- The links that a new flag gets.
  link_templates     TEXT NOT NULL DEFAULT '[]' CHECK (json_type(link_templates) = 'array')
) STRICT;

-- Every request looks up which projects are hidden from its user.
CREATE INDEX private_projects ON projects (id) WHERE mode = 'private';

-- Their events stay hidden, and no other project gets their ids.
CREATE TABLE deleted_private_projects (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE VIEW private_project_ids (id) AS
  SELECT id FROM projects WHERE mode = 'private' UNION ALL SELECT id FROM deleted_private_projects;

CREATE TABLE project_environments (
  project     TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  environment TEXT NOT NULL REFERENCES environments (name) ON DELETE CASCADE ON UPDATE CASCADE,
  -- The strategy added to a flag without any when it is enabled there; NULL for one that matches everyone.
  default_strategy TEXT CHECK (json_type(default_strategy) = 'object'),
  -- How many must approve a change to it; NULL if changes are made directly.
  required_approvals INTEGER CHECK (required_approvals BETWEEN 1 AND 10),
  PRIMARY KEY (project, environment)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_environments_by_environment ON project_environments (environment);

-- Roles, users, groups ----------------------------------------------------------

CREATE TABLE roles (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  type        TEXT NOT NULL CHECK (type IN ('root', 'project', 'custom', 'custom-root')),
  description TEXT
) STRICT;

-- The permissions of custom roles; those of built-in ones are defined in src/access/permissions.ts. A permission without
-- an environment applies in all of them.
CREATE TABLE role_permissions (
  role_id     INTEGER NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  name        TEXT NOT NULL,
  environment TEXT REFERENCES environments (name) ON DELETE CASCADE ON UPDATE CASCADE,
  UNIQUE (role_id, name, environment)
) STRICT;

CREATE INDEX role_permissions_by_environment ON role_permissions (environment);

-- The ids of deleted users and tokens are never reused: events, flags and scripts refer to them.
CREATE TABLE users (
  id             INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name           TEXT,
  username       TEXT UNIQUE,
  email          TEXT UNIQUE,
  image_url      TEXT,
  account_type   TEXT NOT NULL DEFAULT 'User' CHECK (account_type IN ('User', 'Service Account')),
  root_role      INTEGER NOT NULL DEFAULT 3 REFERENCES roles (id),
  created_at     TEXT NOT NULL,
  seen_at        TEXT,
  login_attempts INTEGER NOT NULL DEFAULT 0 CHECK (login_attempts >= 0),
  email_sent     INTEGER CHECK (email_sent IN (0, 1)),
  invite_link    TEXT,
  scim_id        TEXT,
  password_hash  TEXT,
  -- The way to sign in that made the account, with names chosen elsewhere; NULL if people here did.
  made_by        TEXT CHECK (made_by IN ('oidc', 'proxy'))
) STRICT;

-- The dashboard lists the administrators.
CREATE INDEX users_by_root_role ON users (root_role);

-- `mappings_sso` lists a group's names in other systems: who signs in there joins and leaves it by them.
CREATE TABLE groups (
  id          INTEGER PRIMARY KEY CHECK (id > 0),
  name        TEXT NOT NULL UNIQUE,
  description TEXT,
  root_role   INTEGER REFERENCES roles (id),
  created_at  TEXT NOT NULL,
  created_by  TEXT,
  mappings_sso TEXT NOT NULL DEFAULT '[]' CHECK (json_type(mappings_sso) = 'array')
) STRICT;

CREATE INDEX groups_by_root_role ON groups (root_role);

CREATE TABLE group_users (
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  joined_at TEXT,
  PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX group_users_by_user ON group_users (user_id);

CREATE TABLE project_user_roles (
  project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role_id INTEGER NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (project, user_id, role_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_user_roles_by_user ON project_user_roles (user_id);
CREATE INDEX project_user_roles_by_role ON project_user_roles (role_id);

CREATE TABLE project_group_roles (
  project  TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  role_id  INTEGER NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (project, group_id, role_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_group_roles_by_group ON project_group_roles (group_id);
CREATE INDEX project_group_roles_by_role ON project_group_roles (role_id);

-- The members of projects and their roles, directly or through a group; may contain duplicates.
CREATE VIEW project_members (project, user_id, role_id) AS
  SELECT project, user_id, role_id FROM project_user_roles
  UNION ALL
  SELECT project_group_roles.project, group_users.user_id, project_group_roles.role_id
  FROM project_group_roles JOIN group_users ON group_users.group_id = project_group_roles.group_id;

CREATE TABLE project_favorites (
  project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (project, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_favorites_by_user ON project_favorites (user_id);

-- A token is found by the SHA-256 of its secret. The secret is shown once, when the token is created; that of an API
-- token is also kept, encrypted, if the operator wants to read it back (src/people/token-secrets.ts).
CREATE TABLE tokens (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  type        TEXT NOT NULL CHECK (type IN ('user', 'admin', 'client', 'frontend')),
  name        TEXT NOT NULL,
  hash        TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  user_id     INTEGER REFERENCES users (id) ON DELETE CASCADE,
  projects    TEXT NOT NULL DEFAULT '["*"]' CHECK (json_type(projects) = 'array'),
  environment TEXT,
  created_at  TEXT NOT NULL,
  expires_at  TEXT,
  seen_at     TEXT,
  secret      TEXT CHECK (secret IS NULL OR type <> 'user'),
  CHECK ((type = 'user') = (user_id IS NOT NULL))
) STRICT;

CREATE INDEX tokens_by_user ON tokens (user_id);

-- Only the SHA-256 of the cookie's secret is stored. `proxy_user` is whom the header named that a session came with;
-- `sign_out_url` is where the provider ends its own session, encrypted.
CREATE TABLE sessions (
  hash       TEXT PRIMARY KEY CHECK (length(hash) = 64),
  user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  proxy_user TEXT,
  sign_out_url TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user_id);

-- Links for setting a password, at most one per user that an administrator has made, and one that was requested by anybody;
-- only the SHA-256 of a link's secret is stored.
CREATE TABLE reset_tokens (
  user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  is_requested INTEGER NOT NULL DEFAULT 0 CHECK (is_requested IN (0, 1)),
  hash         TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  created_by   TEXT NOT NULL,
  expires_at   TEXT NOT NULL,
  PRIMARY KEY (user_id, is_requested)
) STRICT, WITHOUT ROWID;

-- Links for signing in once, at most one per user; only the SHA-256 of a link's secret is stored.
CREATE TABLE sign_in_links (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  expires_at TEXT NOT NULL
) STRICT;

-- Attempts to sign in, for Admins; not part of the log of events. `username` is a user's, whatever was typed: that may be
-- a password. `failure` says why it failed.
CREATE TABLE sign_ins (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at TEXT NOT NULL,
  user_id    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  username   TEXT,
  method     TEXT NOT NULL CHECK (method IN ('simple', 'link', 'oidc', 'proxy')),
  address    TEXT,
  failure    TEXT
) STRICT;

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

-- Links with which anyone can sign up; only the SHA-256 of a link's secret is stored.
CREATE TABLE invitations (
  id         INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name       TEXT NOT NULL,
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at TEXT NOT NULL,
  created_by TEXT,
  expires_at TEXT NOT NULL
) STRICT;

-- The users who signed up with an invitation.
CREATE TABLE invitation_users (
  invitation_id INTEGER NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (invitation_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitation_users_by_user ON invitation_users (user_id);

-- Users' answers to questions in the user interface, and the splash screens they have seen.
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

-- Types, tags, context fields and segments ----------------------------------------

-- The purpose of a flag, and its expected lifetime; NULL for a permanent flag.
CREATE TABLE feature_types (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  description   TEXT,
  lifetime_days INTEGER CHECK (lifetime_days > 0),
  sort_order    INTEGER NOT NULL
) STRICT;

-- The types of strategies; `parameters` defines those that a strategy takes.
CREATE TABLE strategy_types (
  name         TEXT PRIMARY KEY,
  display_name TEXT,
  title        TEXT,
  description  TEXT,
  parameters   TEXT NOT NULL DEFAULT '[]' CHECK (json_type(parameters) = 'array'),
  editable     INTEGER NOT NULL DEFAULT 1 CHECK (editable IN (0, 1)),
  deprecated   INTEGER NOT NULL DEFAULT 0 CHECK (deprecated IN (0, 1)),
  sort_order   INTEGER NOT NULL DEFAULT 9999
) STRICT;

CREATE TABLE tag_types (
  name        TEXT PRIMARY KEY,
  description TEXT,
  icon        TEXT
) STRICT;

-- A tag may exist without being on any flag.
CREATE TABLE tags (
  type  TEXT NOT NULL REFERENCES tag_types (name) ON DELETE CASCADE ON UPDATE CASCADE,
  value TEXT NOT NULL,
  PRIMARY KEY (type, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE context_fields (
  name         TEXT PRIMARY KEY,
  description  TEXT,
  stickiness   INTEGER NOT NULL DEFAULT 0 CHECK (stickiness IN (0, 1)),
  sort_order   REAL NOT NULL DEFAULT 10,
  legal_values TEXT NOT NULL DEFAULT '[]' CHECK (json_type(legal_values) = 'array'),
  created_at   TEXT NOT NULL,
  project      TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE
) STRICT;

CREATE INDEX context_fields_by_project ON context_fields (project);

-- The ids of deleted segments are never reused: events refer to them.
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

-- Features --------------------------------------------------------------------------

CREATE TABLE features (
  name               TEXT PRIMARY KEY,
  project            TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  type               TEXT NOT NULL DEFAULT 'release',
  description        TEXT,
  stale              INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
  impression_data    INTEGER NOT NULL DEFAULT 0 CHECK (impression_data IN (0, 1)),
  created_at         TEXT NOT NULL,
  created_by_user_id INTEGER, -- the user may be deleted, or have no row at all (-42)
  archived_at        TEXT,
  -- Whether the event was recorded that the flag has outlived its type's lifetime.
  potentially_stale  INTEGER NOT NULL DEFAULT 0 CHECK (potentially_stale IN (0, 1)),
  -- Name and description as searches look at them: folded (src/lib/text.ts), with an 'a' between, which no folded text contains.
  folded             TEXT NOT NULL DEFAULT '',
  -- The newest last_seen_at of its environments.
  seen_at            TEXT
) STRICT;

-- Flags for which that event is yet to be recorded, oldest first.
CREATE INDEX aging_features ON features (type, created_at)
  WHERE potentially_stale = 0 AND stale = 0 AND archived_at IS NULL;
-- The archive, newest first.
CREATE INDEX archived_features ON features (archived_at) WHERE archived_at IS NOT NULL;
-- The flags of a project by name; the other columns allow counting without reading rows.
CREATE INDEX features_by_project ON features (project, name, archived_at, type, stale, created_at);
-- The caller's own flags on the dashboard.
CREATE INDEX features_by_creator ON features (created_by_user_id, created_at);
-- The last use of a project.
CREATE INDEX features_by_use ON features (project, seen_at) WHERE seen_at IS NOT NULL;
-- The health of a project.
CREATE INDEX live_features_by_type ON features (project, stale, type, created_at, archived_at) WHERE archived_at IS NULL;
-- All live flags, and those of a project, by age.
CREATE INDEX live_features ON features (created_at, name, project, archived_at) WHERE archived_at IS NULL;
CREATE INDEX live_features_by_project ON features (project, created_at, name, archived_at) WHERE archived_at IS NULL;

CREATE TABLE feature_tags (
  feature TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  type    TEXT NOT NULL,
  value   TEXT NOT NULL,
  PRIMARY KEY (feature, type, value),
  FOREIGN KEY (type, value) REFERENCES tags (type, value) ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX feature_tags_by_tag ON feature_tags (type, value);

-- What a flag links to, such as where its code is; in the order of their rows.
CREATE TABLE feature_links (
  id      TEXT PRIMARY KEY,
  feature TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  url     TEXT NOT NULL,
  title   TEXT
) STRICT;

CREATE INDEX feature_links_by_feature ON feature_links (feature);

CREATE TABLE feature_favorites (
  feature TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (feature, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX feature_favorites_by_user ON feature_favorites (user_id);

-- A feature is evaluated only if its parent is on (enabled = 1), off, or has one of the variants. A parent brought in
-- by an import may not exist; then the feature is off.
CREATE TABLE feature_dependencies (
  feature  TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  parent   TEXT NOT NULL,
  enabled  INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  variants TEXT NOT NULL DEFAULT '[]' CHECK (json_type(variants) = 'array'),
  PRIMARY KEY (feature, parent)
) STRICT, WITHOUT ROWID;

CREATE INDEX feature_dependencies_by_parent ON feature_dependencies (parent);

CREATE TRIGGER features_removed AFTER DELETE ON features BEGIN
  DELETE FROM feature_dependencies WHERE parent = old.name;
END;

-- The lifecycle stages that a flag has entered.
CREATE TABLE feature_stages (
  feature    TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  stage      TEXT NOT NULL CHECK (stage IN ('initial', 'pre-live', 'live', 'completed', 'archived')),
  entered_at TEXT NOT NULL,
  status     TEXT,
  PRIMARY KEY (feature, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE feature_environments (
  feature      TEXT NOT NULL REFERENCES features (name) ON DELETE CASCADE ON UPDATE CASCADE,
  environment  TEXT NOT NULL REFERENCES environments (name) ON DELETE CASCADE ON UPDATE CASCADE,
  enabled      INTEGER NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  last_seen_at TEXT,
  variants     TEXT NOT NULL DEFAULT '[]' CHECK (json_type(variants) = 'array'),
  PRIMARY KEY (feature, environment)
) STRICT, WITHOUT ROWID;

CREATE INDEX feature_environments_by_environment ON feature_environments (environment);

CREATE TABLE strategies (
  id          TEXT PRIMARY KEY,
  feature     TEXT NOT NULL,
  environment TEXT NOT NULL,
  name        TEXT NOT NULL,
  title       TEXT,
  disabled    INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  sort_order  REAL NOT NULL,
  constraints TEXT NOT NULL DEFAULT '[]' CHECK (json_type(constraints) = 'array'),
  variants    TEXT NOT NULL DEFAULT '[]' CHECK (json_type(variants) = 'array'),
  parameters  TEXT NOT NULL DEFAULT '{}' CHECK (json_type(parameters) = 'object'),
  FOREIGN KEY (feature, environment) REFERENCES feature_environments (feature, environment)
    ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

-- The strategies of a flag in an environment, in order; `disabled` for the project's list of flags.
CREATE INDEX strategies_in_order ON strategies (feature, environment, sort_order, id, disabled);

CREATE TABLE strategy_segments (
  strategy TEXT NOT NULL REFERENCES strategies (id) ON DELETE CASCADE ON UPDATE CASCADE,
  segment  INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
  PRIMARY KEY (strategy, segment)
) STRICT, WITHOUT ROWID;

CREATE INDEX strategy_segments_by_segment ON strategy_segments (segment);

-- The context fields used in a strategy's constraints, whether or not they are defined. Maintained by triggers, so that
-- the uses of a field are found without reading the constraints of every strategy.
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

-- Applications and use -----------------------------------------------------------------

-- Applications that registered, or were described by a user. `announced` is 0 until their event is recorded.
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

-- The scope of their tokens; `*` means every project or environment.
CREATE TABLE application_places (
  application TEXT NOT NULL REFERENCES applications (name) ON DELETE CASCADE ON UPDATE CASCADE,
  project     TEXT NOT NULL,
  environment TEXT NOT NULL,
  PRIMARY KEY (application, project, environment)
) STRICT, WITHOUT ROWID;

CREATE INDEX application_places_by_project ON application_places (project);

-- The instances of applications. One that only reports usage has not registered, so there is no foreign key.
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

-- The flags that applications evaluated, and where. No foreign keys: they may not exist.
CREATE TABLE usage_series (
  id          INTEGER PRIMARY KEY,
  feature     TEXT NOT NULL,
  environment TEXT NOT NULL,
  application TEXT NOT NULL,
  UNIQUE (feature, environment, application)
) STRICT;

CREATE INDEX usage_series_by_application ON usage_series (application, environment, feature);

-- How often the flag was on and off, per hour.
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

-- Events ------------------------------------------------------------------------------

-- Events never change: `wire` is the complete event as JSON for the API, generated once, when it
-- is recorded; the other columns are for look-ups. There are no foreign keys, because the log
-- outlives its subjects.
CREATE TABLE events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  type         TEXT NOT NULL,
  project      TEXT,
  feature_name TEXT,
  wire         TEXT NOT NULL,
  -- The first event of the same change, if it recorded several and this is a later one.
  first_id     INTEGER,
  -- SHA-256 over the hash before it and the rest of the row, see src/events/chain.ts; NULL if it was not recorded here.
  hash         BLOB
) STRICT;

-- Gaps in the chain of hashes, which they are part of; `content` says what is missing, and up to which event.
CREATE TABLE event_seals (
  id      INTEGER PRIMARY KEY,
  content TEXT NOT NULL CHECK (json_type(content) = 'object'),
  hash    BLOB NOT NULL
) STRICT;

-- All of a project's events, and the newest of each visible project.
CREATE INDEX events_by_project ON events (project);
-- The newest of a type; those of a type in a project.
CREATE INDEX events_by_type ON events (type, id, project);
CREATE INDEX events_by_type_and_project ON events (type, project);
-- Those of a flag; type and project allow counting without reading rows.
CREATE INDEX events_by_feature ON events (feature_name, type, project) WHERE feature_name IS NOT NULL;
-- The users who caused events, and the events of one of them.
CREATE INDEX events_by_creator ON events (wire ->> 'createdByUserId', project, type);
-- Those of one change, which are undone together.
CREATE INDEX events_by_change ON events (first_id) WHERE first_id IS NOT NULL;
-- Those of an environment, for the statistics.
CREATE INDEX events_by_environment ON events (wire ->> 'environment', id, project)
  WHERE wire ->> 'environment' IS NOT NULL;

-- The number of events, maintained rather than counted. '' means no project. Written by record.ts: with a trigger,
-- SQLite would set a savepoint for each event, at which FTS5 would flush its index.
CREATE TABLE event_totals (
  project TEXT NOT NULL,
  type    TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (project, type)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_totals_by_type ON event_totals (type, project, count);

CREATE TRIGGER events_removed AFTER DELETE ON events BEGIN
  UPDATE event_totals SET count = count - 1 WHERE project = ifnull(old.project, '') AND type = old.type;
  DELETE FROM event_searches WHERE rowid = old.id;
END;

-- The index for free-text search; texts are folded (src/lib/text.ts), and rowid is the event's
-- id. Each text ends in two bytes that no text can contain, so that its last two characters begin
-- a trigram too. Positions are not stored: a match is confirmed with instr().
CREATE VIRTUAL TABLE event_searches USING fts5 (
  type, created_by, data,
  tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
);

-- A change merges nothing: src/log/search-merging.ts does it between changes.
INSERT INTO event_searches (event_searches, rank) VALUES ('automerge', 0), ('crisismerge', 64);

-- The trigrams that occur, for queries shorter than three characters.
CREATE VIRTUAL TABLE event_trigrams USING fts5vocab (event_searches, 'row');

-- History ------------------------------------------------------------------------------

-- What rows were before each change of them; NULL for one that was not there. Triggers write it (src/db/row-versions.ts).
CREATE TABLE history (
  id      INTEGER PRIMARY KEY,
  "table" TEXT NOT NULL,
  key     TEXT NOT NULL,
  row     TEXT
) STRICT;

-- After which row of the history, and which event, each change was complete, and when.
CREATE TABLE history_points (
  history INTEGER NOT NULL,
  event   INTEGER NOT NULL,
  at      TEXT NOT NULL,
  PRIMARY KEY (history, event)
) STRICT, WITHOUT ROWID;

-- Settings --------------------------------------------------------------------------------

-- Settings of the instance, and its id.
CREATE TABLE settings (
  name    TEXT PRIMARY KEY,
  content TEXT NOT NULL CHECK (json_type(content) = 'object')
) STRICT, WITHOUT ROWID;

-- Messages from administrators, shown to everyone on every page.
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

-- Integrations --------------------------------------------------------------------------

-- Secrets in `parameters` are encrypted, see src/db/secrets.ts. While an integration is paused, its deliveries wait.
-- It receives what the user who last edited it may see; -42 for a service token, which sees everything. Of private
-- projects it receives nothing if that user was deleted, or is unknown.
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
  created_at   TEXT NOT NULL,
  edited_by_user_id INTEGER
) STRICT;

-- Integrations whose latest attempts failed: how many in a row, since when, why, and when to retry.
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

-- One integration's records, newest first.
CREATE INDEX integration_events_by_integration ON integration_events (integration_id, id);
CREATE INDEX integration_events_by_event ON integration_events (event_id);

-- The queue of deliveries, filled in the commit that records the event. `remaining` lists the channels that have not
-- received it yet; NULL for all.
CREATE TABLE deliveries (
  integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  due_at         TEXT NOT NULL,
  attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  remaining      TEXT CHECK (json_type(remaining) = 'array'),
  PRIMARY KEY (integration_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_by_event ON deliveries (event_id);

-- Change requests ------------------------------------------------------------------------

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

-- Notifications ---------------------------------------------------------------------------

-- One is for the members of its project when it is read, except its author and those who have muted it; without a
-- project, for the recipients that a dataset or an earlier version has named.
CREATE TABLE notifications (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  message            TEXT NOT NULL,
  link               TEXT NOT NULL,
  type               TEXT NOT NULL CHECK (type IN ('change-request', 'toggle')),
  created_by_user_id INTEGER NOT NULL, -- the user may be deleted
  created_at         TEXT NOT NULL,
  project            TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE
) STRICT;

-- The newest of a project and a type, skipping a user's own.
CREATE INDEX notifications_by_project ON notifications (project, type, created_at, id, created_by_user_id)
  WHERE project IS NOT NULL;

-- Those of a project's members that they have read.
CREATE TABLE notification_reads (
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  read_at         TEXT NOT NULL,
  PRIMARY KEY (notification_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_reads_by_user ON notification_reads (user_id);

-- Named recipients. `created_at` is copied from the notification, so that a user's newest are read in order.
CREATE TABLE notification_recipients (
  user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at      TEXT NOT NULL,
  notification_id INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  read_at         TEXT,
  PRIMARY KEY (user_id, created_at, notification_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_recipients_by_notification ON notification_recipients (notification_id);

-- Notifications a user has muted: those of a type, of a project, or both; NULL means any.
CREATE TABLE notification_mutes (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type    TEXT CHECK (type IN ('change-request', 'toggle')),
  project TEXT REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
  UNIQUE (user_id, type, project)
) STRICT;

CREATE INDEX notification_mutes_by_project ON notification_mutes (project);

-- Built-in rows of every file ----------------------------------------------------------------

INSERT INTO roles (id, name, type, description) VALUES
  (1, 'Admin', 'root', 'May do everything'),
  (2, 'Editor', 'root', 'May change what projects hold'),
  (3, 'Viewer', 'root', 'May read'),
  (4, 'Owner', 'project', 'Answers for a project and may change everything in it'),
  (5, 'Member', 'project', 'Works in a project');

INSERT INTO feature_types (id, name, description, lifetime_days, sort_order) VALUES
  ('release', 'Release', 'Rolls out a new feature gradually', 40, 1),
  ('experiment', 'Experiment', 'Compares variants of a feature', 40, 2),
  ('operational', 'Operational', 'Controls how the system behaves during a technical change', 7, 3),
  ('kill-switch', 'Kill switch', 'Turns a feature off at once in an emergency', NULL, 4),
  ('permission', 'Permission', 'Controls who can use a feature', NULL, 5);

INSERT INTO strategy_types (name, display_name, description, parameters, editable, deprecated, sort_order) VALUES
  ('flexibleRollout', 'Gradual rollout', 'On for a percentage of users, always the same ones',
    json('[
      {"name": "rollout", "type": "percentage", "description": "", "required": false},
      {"name": "stickiness", "type": "string", "description": "The context field that decides who is in, or default or random", "required": true},
      {"name": "groupId", "type": "string", "description": "Flags with the same group id are on for the same users", "required": true}
    ]'), 0, 0, 1),
  ('default', 'Standard', 'On for everyone', '[]', 0, 0, 2),
  ('userWithId', 'UserIDs', 'On for the listed users',
    json('[{"name": "userIds", "type": "list", "description": "", "required": false}]'), 0, 1, 3),
  ('remoteAddress', 'IPs', 'On for the listed IP addresses',
    json('[{"name": "IPs", "type": "list", "description": "IP addresses", "required": true}]'), 0, 0, 4),
  ('applicationHostname', 'Hosts', 'On for applications on the listed hosts',
    json('[{"name": "hostNames", "type": "list", "description": "Host names", "required": false}]'), 0, 0, 5);

INSERT INTO settings (name, content) VALUES ('instance', json_object('id', lower(format('%s-%s-4%s-a%s-%s',
  hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2),
  hex(randomblob(6))))));

-- Default content of a new file -------------------------------------------------------------------

-- An import into an otherwise empty file replaces these. The sort orders are the original's, which
-- has other rows before them.
INSERT INTO environments (name, type, sort_order) VALUES
  ('development', 'development', 2),
  ('production', 'production', 3);

INSERT INTO projects (id, name, description, created_at) VALUES
  ('default', 'Default', 'Default project', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

INSERT INTO project_environments (project, environment) VALUES
  ('default', 'development'),
  ('default', 'production');

INSERT INTO tag_types (name, description, icon) VALUES ('simple', 'Any text', '#');

INSERT INTO context_fields (name, description, stickiness, sort_order, created_at)
SELECT column1, column2, column3, column4, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM (VALUES
  ('environment', 'The environment the application runs in', 0, 0),
  ('userId', 'The user''s id', 0, 1),
  ('appName', 'The application''s name', 0, 2),
  ('currentTime', 'The time of the evaluation', 0, 3),
  ('sessionId', 'The session''s id', 1, 4));
