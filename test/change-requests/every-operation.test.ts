import assert from "node:assert/strict";
import { test } from "node:test";
import { flags } from "../../src/applications/client-store.ts";
import type { Database } from "../../src/db/database.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { exampleUrl, exampleWorld } from "../support/examples.ts";
import { openServer } from "../support/server.ts";
import { personal } from "../support/world.ts";

/** Editor of everything and Owner of the project, who may change all of it but for what must be approved. */
const OWNER = personal(2);

/** Whether the flags are there and on, and for whom; their type and description need no approval. */
const served = (db: Database) =>
  JSON.stringify(
    flags(db, "development")
      .filter(({ name }) => /^(first|base)-flag$/.test(name))
      .map(({ text }) => JSON.parse(text))
      .map(({ name, enabled, strategies, variants, dependencies }) => [
        ...[name, enabled, strategies, variants, dependencies],
      ]),
  );

/** Whoever may do these may also switch the approvals off. */
const OF_OWNERS = ["removeEnvironmentFromProject"];

const CHANGES = OPERATIONS.filter(({ changes, path }) => changes && path.startsWith("/api/admin/"));

async function ask(db: Database, request: Request, operation: (typeof CHANGES)[number], as: string) {
  const { method, example: body } = operation;
  const before = served(db);
  const { status } = await request(exampleUrl(operation), {
    method,
    as,
    ...(body !== undefined && { body }),
  });
  return { status, hasChanged: served(db) !== before };
}

type Request = Awaited<ReturnType<typeof openServer>>["request"];

test("no operation changes what applications get where that must be approved, but Admins'", async (t) => {
  const changed: string[] = [];
  const refused: string[] = [];
  for (const operation of CHANGES) {
    const open = await openServer(t, exampleWorld().member("shop", 2, 4));
    open.db
      .prepare("UPDATE project_environments SET required_approvals = 1 WHERE environment = 'development'")
      .run();
    const byOwner = await ask(open.db, open.request, operation, OWNER);
    if (byOwner.hasChanged) changed.push(operation.id);
    const byAdmin = await ask(open.db, open.request, operation, personal(1));
    if (byAdmin.hasChanged && byOwner.status === 403) refused.push(operation.id);
  }
  assert.deepEqual(changed.sort(), OF_OWNERS);
  assert.ok(refused.length > 12, `what Admins may do and others may not: ${refused}`);
});
