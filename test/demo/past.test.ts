import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { close } from "../../src/db/open.ts";
import { rewriteHistory } from "../../src/db/row-versions.ts";
import { pointAt, stateAt } from "../../src/db/state-at.ts";
import { makeDemo } from "../../src/demo/dataset.ts";
import type { Event } from "../../src/events/schema.ts";
import { write } from "../../src/events/write.ts";
import { importLines } from "../support/server.ts";
import { empty } from "../transfer/importing.ts";

const { lines, past } = makeDemo(Date.now());

/** What the log says of flags up to an event: the last of each thing, leaving out events that are only examples. */
function saidBy(db: Database, event: number) {
  const said = new Map<string, unknown>();
  const events = db
    .prepare<[number], string>(
      "SELECT wire FROM events WHERE id <= ? AND feature_name <> 'payment-redesign' ORDER BY id",
    )
    .pluck();
  for (const wire of events.iterate(event)) {
    const { type, featureName: flag, environment, data } = JSON.parse(wire) as Event;
    if (type === "feature-created") said.set(`flag ${flag}`, "live");
    if (type === "feature-archived") said.set(`flag ${flag}`, "archived");
    if (type.startsWith("feature-environment-"))
      said.set(`${flag} in ${environment}`, Number(type.endsWith("enabled")));
    if (type.startsWith("feature-strategy-")) {
      said.set(`strategy ${data!.id}`, data!.parameters);
    }
  }
  return said;
}

function shownBy(state: Database) {
  const all = (sql: string) => state.prepare<[], Record<string, string | number | null>>(sql).all();
  return new Map<string, unknown>([
    ...all("SELECT name, archived_at FROM features WHERE name <> 'payment-redesign'").map(
      (row) => [`flag ${row.name}`, row.archived_at === null ? "live" : "archived"] as const,
    ),
    ...all("SELECT * FROM feature_environments WHERE feature <> 'payment-redesign'").map(
      (row) => [`${row.feature} in ${row.environment}`, row.enabled] as const,
    ),
    ...all("SELECT id, parameters FROM strategies WHERE feature <> 'payment-redesign'").map(
      (row) => [`strategy ${row.id}`, JSON.parse(String(row.parameters))] as const,
    ),
  ]);
}

test("what the demo's flags were at any time is what its log says", async (t) => {
  const db = empty(t);
  await importLines(db, lines as never);
  write(db, CLI, (tx) => rewriteHistory(tx, past));
  for (const event of [1, 400, 1500, 3000, 4200, 4500]) {
    const state = stateAt(db, pointAt(db, String(event)));
    const [said, shown] = [saidBy(db, event), shownBy(state)];
    const differing = [...said].filter(([what, is]) => !isSame(shown.get(what), is));
    assert.deepEqual(differing, [], `after event ${event}`);
    const flags = (map: Map<string, unknown>) =>
      [...map.keys()].filter((key) => key.startsWith("flag ")).sort();
    assert.deepEqual(flags(shown), flags(said), `after event ${event}`);
    close(state);
  }
});

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
