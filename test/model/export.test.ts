import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashSecret } from "../../src/access/token.ts";
import { writeUsage } from "../../src/applications/usage-store.ts";
import type { Database } from "../../src/db/database.ts";
import { close } from "../../src/db/open.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { keepSecrets } from "../../src/people/token-secrets.ts";
import { createServer } from "../../src/server/app.ts";
import { exportDataset } from "../../src/transfer/export.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { contentsOf } from "../support/contents.ts";
import { asChunks, importLines, newDatabase } from "../support/server.ts";
import { CLIENT, FRONTEND, personal, SERVICE } from "../support/world.ts";
import { everyKey } from "../transfer/examples.ts";
import { type AnyChange, anyChange, requestOf } from "./any-change.ts";
import { dataset, type Line } from "./dataset.ts";
import { type Step, step, toChange, toRequest } from "./steps.ts";

const token = (type: string, secret: string, environment: string) => ({
  kind: "token",
  type,
  name: type,
  hash: hashSecret(secret),
  environment,
});
const TOKENS = [
  token("admin", SERVICE, "*"),
  token("client", CLIENT, "development"),
  token("frontend", FRONTEND, "development"),
];

const start = fc.oneof(
  { arbitrary: dataset.map((lines) => [...lines, ...TOKENS]), weight: 2 },
  fc.constant<Line[]>(everyKey()),
);

/** A change of the model, or any other by its example. */
type Taken = Step | { as: number | null; any: AnyChange };

const taken: fc.Arbitrary<Taken> = fc.oneof(step, {
  arbitrary: fc.record({ as: fc.constantFrom(1, 2, null, null, null), any: anyChange }),
  weight: 4,
});

const exported = (db: Database, withSecrets: boolean) => [...exportDataset(db, { withSecrets })].join("");

const linesOf = (db: Database): Line[] => [...exportDataset(db)].map((line) => JSON.parse(line));

function asRequest(lines: Line[], taken: Taken) {
  if ("any" in taken) return requestOf(lines, taken.any);
  const { method, path, body } = toRequest(toChange(lines, taken));
  return { method, path: `/api/admin/${path}`, body };
}

function secretFor(path: string, as: number | null) {
  if (path.startsWith("/api/client")) return CLIENT;
  if (path.startsWith("/api/frontend")) return FRONTEND;
  return as === null ? SERVICE : personal(as);
}

/** Sends the changes, whether or not they are possible. @returns what was sent, and the statuses */
async function take(db: Database, steps: Taken[]): Promise<string> {
  const { app } = createServer({ db, log: () => {} });
  const told: string[] = [];
  for (const step of steps) {
    const { method, path, body } = asRequest(linesOf(db), step);
    const headers = { authorization: secretFor(path, step.as), "content-type": "application/json" };
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const { status } = await app.request(path, sent);
    assert.notEqual(status, 500, path);
    told.push(`${status} ${method} ${path} ${JSON.stringify(body) ?? ""}`);
  }
  await writeUsage(db);
  return told.join("\n");
}

/** An export gives the same in a new file, with its secrets and without. */
async function requireRoundTrip(db: Database, where: string) {
  for (const withSecrets of [true, false]) {
    const text = exported(db, withSecrets);
    const copy = newDatabase();
    try {
      inWriting(copy, keepSecrets);
      await importDataset(copy, asChunks(text)).catch((error) =>
        assert.fail(`${error.message} after\n${where}`),
      );
      assert.equal(exported(copy, withSecrets), text, where);
      if (withSecrets) assert.deepEqual(contentsOf(copy), contentsOf(db), where);
    } finally {
      close(copy);
    }
  }
}

test("after any changes, an export can be imported, and the copy exports the same", async () => {
  const steps = fc.array(taken, { minLength: 4, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(start, steps, async (start, steps) => {
      const db = newDatabase();
      try {
        inWriting(db, keepSecrets);
        await importLines(db, start);
        await requireRoundTrip(db, await take(db, steps));
      } finally {
        close(db);
      }
    }),
    { numRuns: Number(process.env.EXPORT_RUNS ?? 15), interruptAfterTimeLimit: 60_000 },
  );
});
