import assert from "node:assert/strict";
import { test } from "node:test";
import { beginSession, createSignInLink } from "../../src/access/session-store.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { exampleUrl, exampleWorld } from "../support/examples.ts";
import { asChunks, openServer } from "../support/server.ts";
import { CLIENT, personal } from "../support/world.ts";
import { exported } from "./examples.ts";
import { empty } from "./importing.ts";

/** Whatever examples of these methods create or change. */
const WRITING = ["POST", "PUT", "PATCH"];

for (const now of ["2199-06-01T00:00:00.000Z", "9999-12-31T23:59:59.000Z", "+012026-01-01T00:00:00.000Z"])
  test(`what is written when the clock says ${now} can be imported when it is right again`, async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
    const { app, db } = await openServer(t, exampleWorld());
    for (const operation of OPERATIONS) {
      const { id, method, path, example: body } = operation;
      if (!WRITING.includes(method) || id === "toggleMaintenance") continue;
      const authorization = path.startsWith("/api/client") ? CLIENT : personal(1);
      const headers = { authorization, "content-type": "application/json" };
      await app.request(exampleUrl(operation), {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    }
    await writeUsage(db);
    inWriting(db, (tx) => [beginSession(tx, 2), createSignInLink(tx, 2)]);
    const dataset = exported(db);
    t.mock.timers.reset();
    const target = empty(t);
    await importDataset(target, asChunks(dataset));
    assert.equal(exported(target), dataset);
    const expiries = "SELECT expires_at FROM sessions UNION ALL SELECT expires_at FROM sign_in_links";
    for (const expiry of db.prepare<[], string>(expiries).pluck().all()) assert.match(expiry, /^\d{4}-/);
  });
