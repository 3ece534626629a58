-- What a flag is for, and after how many days it is expected to be gone; NULL for one that stays.
CREATE TABLE feature_types (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  description   TEXT,
  lifetime_days INTEGER CHECK (lifetime_days > 0),
  sort_order    INTEGER NOT NULL
) STRICT;

-- What a strategy of a flag may be; `parameters` are the definitions of those that it takes.
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
