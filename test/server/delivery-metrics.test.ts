import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../../src/server/metrics.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

test("the metrics show each integration's queue, how long it has waited, and failures", async (t) => {
  const { db } = await openServer(t, createWorld().integration().integration({ provider: "teams" }).event());
  db.exec(`
    INSERT INTO deliveries (integration_id, event_id, due_at) VALUES (2, 1, '2030-01-01T00:00:00.000Z');
    INSERT INTO integration_troubles VALUES (2, 7, '', '', '')`);
  const metrics = createMetrics({ db, basePath: "", operations: [] });
  const figures = async () => {
    const lines = String((await metrics.answer()).body).split("\n");
    const of = (id: number, name: string) =>
      lines.find((line) => line.startsWith(`flagstone_deliveries_${name}{integration="${id}",`));
    const figure = (id: number, name: string) => Number(of(id, name)?.split(" ")[1]);
    return [1, 2].map((id) =>
      ["waiting", "failed_in_a_row", "oldest_seconds"].map((name) => figure(id, name)),
    );
  };
  const [well, failing] = await figures();
  assert.deepEqual(well, [0, 0, 0]);
  assert.deepEqual(failing!.slice(0, 2), [1, 7]);
  assert.ok(failing![2]! > 3600, "the event is old");
  db.exec("DELETE FROM integrations WHERE id = 2");
  assert.deepEqual(await figures(), [well, [Number.NaN, Number.NaN, Number.NaN]]);
});
