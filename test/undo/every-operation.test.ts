import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { contentsOf } from "../support/contents.ts";
import { exampleUrl, exampleWorld } from "../support/examples.ts";
import { openServer } from "../support/server.ts";

/** Everything that people see of the database, without the log, new ids and times. */
function seen(db: Database) {
  const tables = Object.entries(contentsOf(db)).filter(([table]) => !NOT_COMPARED.test(table));
  const normal = (row: string) =>
    row
      .replaceAll(/"(id|strategy)":"[^"]*",?|"(created_by|updated_at)":[^,}]*,?/g, "")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/\{\\"pattern\\":null[^}]*\}/g, "{}");
  return Object.fromEntries(tables.map(([table, rows]) => [table, rows.map(normal).sort()]));
}

const NOT_COMPARED = /^(events|event_|notifications|feature_stages|\()/;

/** Operations whose undo leaves something, and the tables where. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  // A new one goes to the archive.
  createFeature: ["features"],
  cloneFeature: ["feature_environments", "features", "strategies"],
  importToggles: ["feature_environments", "features", "strategies"],
  createProject: ["project_environments", "project_user_roles", "projects"],
  // A row that says that a flag is off, and has no variants.
  bulkToggleFeaturesEnvironmentOn: ["feature_environments"],
  patchFeatureVariants: ["feature_environments"],
  // Recorded even if nothing changes (original).
  removeTag: ["feature_tags"],
  reactivateStrategy: ["strategy_types"],
};

/** Why most of what can't be undone is refused: secrets, people, what was deleted for good, what the log doesn't hold. */
const NO_OPPOSITE = "no single change does the opposite: change it back by hand";

/** Refused although there is an opposite: there was something, or nothing, before. */
const REFUSED = [
  "addDefaultStrategyToProjectEnvironment",
  "createTag",
  "deleteFeatureDependencies",
  "deleteFeatureDependency",
  "uncomplete",
];

/** How many operations are undone at least. */
const UNDONE = 55;

/** Their examples change nothing: it is so already, or what they are about isn't there. */
const WITHOUT_EVENT = [
  "resumeAddon",
  "updateApiToken",
  "deleteApiToken",
  "enableBanner",
  "undo",
  "updatePublicSignupToken",
  "deleteProjectApiToken",
  "updateContextFieldForProject",
  "deleteContextFieldForProject",
  "updateContextFieldLegalValueForProject",
  "deleteContextFieldLegalValueForProject",
  "toggleFeatureEnvironmentOn",
  "removeGroupAccess",
  "removeUserAccess",
  "deleteServiceAccountToken",
  "undoSince",
  "resetSecondFactor",
  "deleteScimUsers",
  "addSecondFactor",
  "removeSecondFactor",
  "login",
  "edgeCreateOrReturnTokens",
  "addPublicSignupTokenUser",
];

/** They end what the test does. */
const APART = ["toggleMaintenance", "deletePat"];

test("what an operation has changed is undone and redone as a whole, or the refusal says why", async (t) => {
  const left: Record<string, readonly string[]> = {};
  const [undone, refused]: [string[], string[]] = [[], []];
  const unrecorded: string[] = [];
  for (const operation of OPERATIONS.filter((one) => one.changes && one.records && !APART.includes(one.id))) {
    const { request, db } = await openServer(t, exampleWorld());
    const { method, example: body } = operation;
    const before = seen(db);
    const { headers } = await request(exampleUrl(operation), { method, body });
    const event = headers.get("flagstone-event");
    if (event === null) {
      unrecorded.push(operation.id);
      continue;
    }
    const after = seen(db);
    const [asked, done] = [
      await request(`/api/admin/events/${event}/undo`),
      await request(`/api/admin/events/${event}/undo`, { method: "POST" }),
    ];
    assert.equal(asked.body.refusal?.message, done.body.message);
    if (asked.body.refusal) {
      assert.match(done.body.message, /can't be undone: ./, operation.id);
      if (!done.body.message.endsWith(NO_OPPOSITE)) refused.push(operation.id);
      continue;
    }
    undone.push(operation.id);
    const now = seen(db);
    const differs = Object.keys(before).filter((table) => String(before[table]) !== String(now[table]));
    if (differs.length > 0) left[operation.id] = differs;
    const redone = await request(`/api/admin/events/${done.headers.get("flagstone-event")}/undo`, {
      method: "POST",
    });
    assert.equal(redone.status, 200, `${operation.id}: ${redone.text}`);
    if (operation.id.startsWith("archiveFeature")) continue; // an archived flag may be on or off, which nobody sees
    assert.deepEqual(seen(db), after, operation.id);
  }
  assert.deepEqual(unrecorded, WITHOUT_EVENT);
  assert.deepEqual(left, LEAVES);
  assert.deepEqual(refused.sort(), REFUSED);
  assert.ok(undone.length >= UNDONE, `${undone.length} ${undone}`);
});
