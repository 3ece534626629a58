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
  ('release', 'Release', 'Brings a new feature to its users step by step', 40, 1),
  ('experiment', 'Experiment', 'Compares several versions of a feature', 40, 2),
  ('operational', 'Operational', 'Steers how the system runs while something is changed', 7, 3),
  ('kill-switch', 'Kill switch', 'Turns something off at once when it does harm', NULL, 4),
  ('permission', 'Permission', 'Decides who may use a feature', NULL, 5);

INSERT INTO strategy_types (name, display_name, description, parameters, editable, deprecated, sort_order) VALUES
  ('flexibleRollout', 'Gradual rollout', 'On for a share of the users, the same ones each time',
    json('[
      {"name": "rollout", "type": "percentage", "description": "", "required": false},
      {"name": "stickiness", "type": "string", "description": "What keeps the answer the same: default, random or a context field", "required": true},
      {"name": "groupId", "type": "string", "description": "Flags of one group are on for the same users", "required": true}
    ]'), 0, 0, 1),
  ('default', 'Standard', 'On for everyone', '[]', 0, 0, 2),
  ('userWithId', 'UserIDs', 'On for the users that are listed',
    json('[{"name": "userIds", "type": "list", "description": "", "required": false}]'), 0, 1, 3),
  ('remoteAddress', 'IPs', 'On for the IP addresses that are listed',
    json('[{"name": "IPs", "type": "list", "description": "Addresses", "required": true}]'), 0, 0, 4),
  ('applicationHostname', 'Hosts', 'On for applications on the hosts that are listed',
    json('[{"name": "hostNames", "type": "list", "description": "Names of hosts", "required": false}]'), 0, 0, 5);
