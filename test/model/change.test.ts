import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { H3 } from "h3";
import { hashSecret } from "../../src/access/token.ts";
import { stateOf } from "../../src/applications/client-state.ts";
import { flags, segmentsInUse } from "../../src/applications/client-store.ts";
import type { Database } from "../../src/db/database.ts";
import { close } from "../../src/db/open.ts";
import { createServer } from "../../src/server/app.ts";
import { importLines, newDatabase, watchLog } from "../support/server.ts";
import { personal, SERVICE } from "../support/world.ts";
import { applyChange } from "./changes.ts";
import { dataset, type Line } from "./dataset.ts";
import { SERVICE_NAME } from "./permissions.ts";
import { requireReads, search } from "./reads.ts";
import { type Step, step, toChange, toRequest } from "./steps.ts";

const serviceToken = {
  kind: "token",
  type: "admin",
  name: SERVICE_NAME,
  hash: hashSecret(SERVICE),
  environment: "*",
};

/** Makes the change on the server and in the model, and returns the resulting lines. */
async function take(db: Database, app: H3, lines: Line[], step: Step): Promise<Line[]> {
  const change = toChange(lines, step);
  const { method, path, body } = toRequest(change);
  const recorded = watchLog(db);
  const begun = new Date().toISOString();
  const response = await app.request(`/api/admin/${path}`, {
    method,
    headers: {
      authorization: step.as === null ? SERVICE : personal(step.as),
      "content-type": "application/json",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const where = `${method} ${path} ${JSON.stringify(body) ?? ""} by ${step.as ?? SERVICE_NAME}`;
  const answer = await response.text();
  const events = recorded();
  const now = events[0]?.createdAt ?? begun;
  assert.ok(begun <= now && now <= new Date().toISOString(), where);
  const id = (events[0]?.data?.id ?? "") as string;
  const expected = applyChange(lines, step.as, change, { now, id });
  assert.equal(response.status, expected.status, `${where}: ${answer}`);
  const told = events.map(({ id: _, label, summary, ...event }) => {
    assert.ok(label && summary, where);
    return event;
  });
  assert.deepEqual(told, JSON.parse(JSON.stringify(expected.events)), where);
  return [...expected.lines, ...events.map((event) => ({ kind: "event", ...event }))];
}

/** The incrementally updated data for applications equals what a full rebuild gives. */
function requireWhatApplicationsHave(db: Database, lines: readonly Line[], where: string) {
  for (const { name } of lines.filter(({ kind }) => kind === "environment")) {
    const state = stateOf(db, name as string);
    assert.deepEqual([...state.flags.values()], flags(db, name as string), where);
    assert.deepEqual(state.segments, segmentsInUse(db, name as string), where);
  }
}

test("changes match the plain model, and every read shows them", async () => {
  const steps = fc.array(step, { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      dataset,
      steps,
      fc.array(search, { minLength: 2, maxLength: 2 }),
      async (start, steps, searches) => {
        const db = newDatabase();
        try {
          let lines = [...start, serviceToken];
          await importLines(db, lines);
          const { app } = createServer({ db, log: () => {} });
          for (const step of steps) {
            lines = await take(db, app, lines, step);
            await requireReads(app, lines, searches, ` after ${JSON.stringify(step)}`);
            requireWhatApplicationsHave(db, lines, ` after ${JSON.stringify(step)}`);
          }
        } finally {
          close(db);
        }
      },
    ),
    { numRuns: Number(process.env.CHANGE_RUNS ?? 5), interruptAfterTimeLimit: 60_000 },
  );
});
