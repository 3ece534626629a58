import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { CLI } from "../../src/access/actor.ts";
import { hashPassword } from "../../src/access/password-hash.ts";
import { beginSession, endSession, SESSION_COOKIE } from "../../src/access/session-store.ts";
import type { Database } from "../../src/db/database.ts";
import { command } from "../../src/db/statement.ts";
import { write } from "../../src/events/write.ts";
import { revokeToken } from "../../src/people/tokens-store.ts";
import { personal } from "../support/world.ts";
import { openBoth, READS, requireFresh } from "./both-servers.ts";

type Both = Awaited<ReturnType<typeof openBoth>>;

const FLAG = "/api/admin/projects/open/features/f";
const PASSWORD = "Str0ng-Passw0rd!x9";
const fresh = (() => {
  let count = 0;
  return (prefix: string) => `${prefix}-${++count}`;
})();

/** Every change in the API, in the project `open` where a project is needed. */
const CHANGES = {
  createProject: () => ({
    path: "/api/admin/projects",
    body: { id: fresh("p"), name: "Z" },
    as: personal(2),
  }),
  createFeature: () => ({ path: "/api/admin/projects/open/features", body: { name: fresh("n") } }),
  enable: () => ({ path: `${FLAG}/environments/development/on` }),
  enableElsewhere: () => ({ path: `${FLAG}/environments/production/on`, as: personal(2) }),
  disable: () => ({ path: `${FLAG}/environments/development/off` }),
  archive: () => ({ method: "DELETE", path: FLAG }),
  createUser: () => ({ path: "/api/admin/user-admin", body: { username: fresh("u"), rootRole: 1 } }),
  createToken: () => ({
    path: "/api/admin/user/tokens",
    body: { description: fresh("t"), expiresAt: "2099-01-01T00:00:00.000Z" },
  }),
  signIn: () => ({ path: "/auth/simple/login", body: { username: "admin", password: PASSWORD } }),
};
const NAMES = Object.keys(CHANGES) as Array<keyof typeof CHANGES>;

const setPassword = command<{ hash: string }>(`UPDATE users SET password_hash = :hash WHERE id = 1`);
const setRole = command<{ role: number }>(`UPDATE users SET root_role = :role WHERE id = 3`);
const change = <T>(db: Database, body: Parameters<typeof write<T>>[2]) => write(db, CLI, body);

const hash = await hashPassword(PASSWORD);
const open = async (t?: Parameters<typeof openBoth>[0]) => {
  const both = await openBoth(t);
  change(both.db, (tx) => setPassword(tx).run({ hash }));
  return both;
};

async function make({ send }: Both, name: keyof typeof CHANGES, isOwn: boolean) {
  const reply = await send(CHANGES[name](), isOwn);
  const text = await reply.text();
  const isRefused = name === "createToken" || text.includes("ArchivedFeatureError");
  assert.ok(reply.status < 300 || isRefused, `${name}: ${reply.status} ${text}`);
}

test("no response is stale after a change over HTTP, whichever server made it", async () => {
  const made = fc.record({ name: fc.constantFrom(...NAMES), isOwn: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(made, { minLength: 5, maxLength: 10 }), async (changes) => {
      const both = await open();
      try {
        await requireFresh(both, "nothing");
        for (const { name, isOwn } of changes) {
          await make(both, name, isOwn);
          await requireFresh(both, `${name} by ${isOwn ? "the server" : "another"}`);
        }
      } finally {
        both.done();
      }
    }),
    { numRuns: Number(process.env.ANSWERS_RUNS ?? 1) },
  );
});

test("every single change over HTTP invalidates the responses", async (t) => {
  const both = await open(t);
  await requireFresh(both, "nothing");
  for (const name of NAMES) {
    for (const isOwn of [true, false]) {
      await make(both, name, isOwn);
      await requireFresh(both, name);
    }
  }
});

/** Flags age each minute, which invalidates everything. */
const stopClock = (t: TestContext) => t.mock.timers.enable({ apis: ["Date"], now: Date.now() });

/** The number of these reads that missed the cache. */
async function missesOf({ get, misses }: Both, reads: readonly string[], headers: Record<string, string>) {
  const before = misses();
  for (const read of reads) await (await get(read, headers)).text();
  return misses() - before;
}

/** Streamed lists and errors are not cached. */
const isKept = async (both: Both, read: string, headers: Record<string, string>) =>
  !/^(events[?/]|addons)/.test(read) && (await both.get(read, headers)).status === 200;

test("signing in invalidates nothing, for tokens and for sessions", async (t) => {
  stopClock(t);
  const both = await open(t);
  const { secret } = change(both.db, (tx) => beginSession(tx, 3));
  for (const headers of [{ authorization: personal(3) }, { cookie: `${SESSION_COOKIE}=${secret}` }]) {
    const kept: string[] = [];
    for (const read of READS) if (await isKept(both, read, headers)) kept.push(read);
    assert.ok(kept.length > 10);
    assert.equal(await missesOf(both, kept, headers), 0);
    await make(both, "signIn", true);
    assert.equal(await missesOf(both, kept, headers), 0, JSON.stringify(headers));
  }
});

for (const isOwn of [true, false]) {
  const where = isOwn ? "here" : "by another process";
  test(`a token revoked ${where} stops working at once, even for cached responses`, async (t) => {
    const both = await open(t);
    const status = async () => (await both.get("events", { authorization: personal(3) })).status;
    assert.deepEqual([await status(), await status()], [200, 200]);
    change(isOwn ? both.db : both.other, (tx) => revokeToken(tx, 3));
    assert.deepEqual([await status(), await status()], [401, 401]);
  });

  test(`a session ended ${where} stops working at once, even for cached responses`, async (t) => {
    const both = await open(t);
    const { secret } = change(both.db, (tx) => beginSession(tx, 3));
    const status = async () => (await both.get("events", { cookie: `${SESSION_COOKIE}=${secret}` })).status;
    assert.deepEqual([await status(), await status()], [200, 200]);
    change(isOwn ? both.db : both.other, (tx) => endSession(tx, secret));
    assert.deepEqual([await status(), await status()], [401, 401]);
  });

  test(`a role changed ${where} takes effect at once, even for cached responses`, async (t) => {
    const both = await open(t);
    const db = isOwn ? both.db : both.other;
    const status = async () => (await both.get("user-admin/1", { authorization: personal(3) })).status;
    assert.equal(await status(), 403);
    change(db, (tx) => setRole(tx).run({ role: 1 }));
    assert.deepEqual([await status(), await status()], [200, 200]);
    change(db, (tx) => setRole(tx).run({ role: 3 }));
    assert.deepEqual([await status(), await status()], [403, 403]);
  });
}
