import Sqlite from "better-sqlite3";
import { type Bare, BULK, ROUNDS } from "./changes.ts";
import { PROJECTS } from "./dataset.ts";
import { type Pace, paceOf } from "./pace.ts";

/*
 * Writes with plain better-sqlite3 the rows that Flagstone writes when a flag is created, enabled and disabled, one
 * transaction per change and with the same `synchronous`; then the rows of many flags marked stale in one transaction.
 * Runs in its own process: `bare-changes.ts FILE SECONDS`.
 */

const [, , file = "", seconds = "1"] = process.argv;
const db = new Sqlite(file);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.pragma("foreign_keys = ON");

const [project = ""] = PROJECTS;
const insertFeature = db.prepare<[string, string, string]>(
  "INSERT INTO features (name, project, created_at, created_by_user_id) VALUES (?, ?, ?, 1)",
);
const insertStage = db.prepare<[string, string]>(
  "INSERT INTO feature_stages (feature, stage, entered_at) VALUES (?, 'initial', ?)",
);
const setEnabled = db.prepare<[string, number]>(`
  INSERT INTO feature_environments (feature, environment, enabled) VALUES (?, 'development', ?)
  ON CONFLICT DO UPDATE SET enabled = excluded.enabled`);
const insertStrategy = db.prepare<[string, string]>(`
  INSERT INTO strategies (id, feature, environment, name, sort_order, parameters)
  VALUES (?, ?, 'development', 'flexibleRollout', 0, '{"rollout":"100","stickiness":"default","groupId":"a"}')`);
const insertEvent = db.prepare<[string, string, string, string]>(
  "INSERT INTO events (type, project, feature_name, wire) VALUES (?, ?, ?, ?)",
);
const insertSearch = db.prepare<[number | bigint, string, string]>(
  "INSERT INTO event_searches (rowid, type, created_by, data) VALUES (?, ?, 'user1@example.com', ?)",
);
const addToTotal = db.prepare<[string, string]>(`
  INSERT INTO event_totals (project, type, count) VALUES (?, ?, 1)
  ON CONFLICT DO UPDATE SET count = count + 1`);
const insertNotification = db.prepare<[string, string, string]>(`
  INSERT INTO notifications (message, link, type, created_by_user_id, created_at, project)
  VALUES (?, '/', 'toggle', 1, ?, ?)`);

/** As long as Flagstone's events, with as much new text for the search index. */
const stored = (type: string, feature: string, now: string, data: object | null) =>
  JSON.stringify({
    createdAt: now,
    type,
    createdBy: "user1@example.com",
    createdByUserId: 1,
    environment: "development",
    project,
    featureName: feature,
    data,
    summary: `**user1@example.com** changed the flag **[${feature}](/projects/${project}/features/${feature})**`,
  });

function record(
  type: string,
  feature: string,
  now: string,
  { data = null as object | null, notifies = true } = {},
) {
  const { lastInsertRowid } = insertEvent.run(type, project, feature, stored(type, feature, now, data));
  insertSearch.run(lastInsertRowid, type, data === null ? "" : JSON.stringify(data));
  addToTotal.run(project, type);
  if (notifies) insertNotification.run(`user1@example.com changed ${feature}`, now, project);
}

const create = db.transaction((feature: string, now: string) => {
  insertFeature.run(feature, project, now);
  insertStage.run(feature, now);
  const data = { name: feature, description: null, type: "release", project, stale: false, createdAt: now };
  record("feature-created", feature, now, { data });
});

const enable = db.transaction((feature: string, now: string) => {
  setEnabled.run(feature, 0);
  const id = crypto.randomUUID();
  insertStrategy.run(id, feature);
  const parameters = { groupId: feature, rollout: "100", stickiness: "default" };
  const data = { id, name: "flexibleRollout", disabled: false, constraints: [], parameters, segments: [] };
  record("feature-strategy-add", feature, now, { data, notifies: false });
  setEnabled.run(feature, 1);
  record("feature-environment-enabled", feature, now);
});

const disable = db.transaction((feature: string, now: string) => {
  setEnabled.run(feature, 0);
  record("feature-environment-disabled", feature, now);
});

const setStale = db.prepare<[number, string]>("UPDATE features SET stale = ? WHERE name = ?");

const insertAll = db.transaction((names: string[], now: string) => {
  for (const name of names) insertFeature.run(name, project, now);
});

const markAll = db.transaction((names: string[], isStale: boolean, now: string) => {
  for (const name of names) {
    setStale.run(isStale ? 1 : 0, name);
    record(isStale ? "feature-stale-on" : "feature-stale-off", name, now, { notifies: false });
  }
});

/** @param prefix of the names of the flags */
function changePace(prefix: string): Pace {
  const times: number[] = [];
  const begin = performance.now();
  for (let n = 0; performance.now() < begin + Number(seconds) * 1000; n++) {
    for (const change of [create, enable, disable]) {
      const started = performance.now();
      change.immediate(`${prefix}-${n}`, new Date().toISOString());
      times.push(performance.now() - started);
    }
  }
  return paceOf(times, (performance.now() - begin) / 1000);
}

function bulkPace(): Pace {
  const names = Array.from({ length: BULK }, (_, index) => `bare-bulk-${index}`);
  insertAll.immediate(names, new Date().toISOString());
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    markAll.immediate(names, round % 2 === 0, new Date().toISOString());
    times.push(performance.now() - started);
  }
  return paceOf(times, times.reduce((all, time) => all + time, 0) / 1000);
}

const pace = changePace("bare");
const bulk = bulkPace();
db.pragma("synchronous = OFF");
const unsynced = changePace("unsynced");
db.close();
process.send!({ pace, unsynced, bulk } satisfies Bare);
