-- What version 0.2.0 changes in a data file.

-- Those of an environment, for the statistics.
CREATE INDEX events_by_environment ON events (wire ->> 'environment', id, project)
  WHERE wire ->> 'environment' IS NOT NULL;
