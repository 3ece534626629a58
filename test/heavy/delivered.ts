import { CLI } from "../../src/access/actor.ts";
import { close, open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";

/** Records `count` events of the type user-created, each with some text. */
export function recordEvents(data: string, count: number, text = "") {
  const db = open(data);
  write(db, CLI, (tx) => {
    for (let index = 0; index < count; index++) tx.record({ type: "user-created", data: { index, text } });
  });
  close(db);
}

/** The state of the deliveries: the number pending, the events, and those delivered to an integration, in order. */
export function stateOf(data: string, integrationId = 1) {
  const db = open(data);
  const all = (sql: string) => db.prepare<[], number>(sql).pluck().all();
  const state = {
    waiting: all("SELECT event_id FROM deliveries").length,
    events: all("SELECT id FROM events WHERE type = 'user-created' ORDER BY id"),
    succeeded: all(`SELECT event_id FROM integration_events
      WHERE state = 'success' AND integration_id = ${integrationId} ORDER BY event_id`),
  };
  close(db);
  return state;
}
