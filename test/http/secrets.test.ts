import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { createServer } from "../../src/server/app.ts";
import { contentOf, temporaryFolder } from "../cli/run-cli.ts";
import { importLines } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const PASSWORD = "Str0ng-Passw0rd!x9";

test("no secret is in the file, the log, an event or an export", async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "flags.db");
  const db = open(file);
  await importLines(db, createWorld().project("a").lines);
  const logged: LogLine[] = [];
  const { app } = createServer({ db, log: (line) => logged.push(line), logsAccess: true });
  const send = (where: string, body: object, headers = {}) =>
    app.request(where, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: personal(1), ...headers },
      body: JSON.stringify(body),
    });
  const nina = { username: "nina", rootRole: 1, password: PASSWORD };
  assert.equal((await send("/api/admin/user-admin", nina)).status, 201);
  const signedIn = await send("/auth/simple/login", { username: "nina", password: PASSWORD });
  const session = /=([0-9a-f]{64});/.exec(signedIn.headers.getSetCookie()[0]!)![1]!;
  const cookie = `unleash-session=${session}`;
  const made = await send(
    "/api/admin/user/tokens",
    { description: "laptop", expiresAt: "2099-01-01T00:00:00.000Z" },
    { cookie },
  );
  const { secret } = (await made.json()) as { secret: string };
  await send("/auth/simple/login", { username: "nina", password: `${PASSWORD}-mistaken` });
  await send("/api/admin/user-admin", { ...nina, rootRole: 99 });
  await send("/api/admin/user-admin", { ...nina, username: 5 });
  await send("/api/admin/nothing", {}, { authorization: `${secret}x`, cookie: `${cookie}x` });
  const events = await (
    await app.request("/api/admin/events", { headers: { authorization: secret } })
  ).text();
  assert.ok(events.includes("pat-created"));
  const files = () =>
    fs.readdirSync(folder).map((name) => [name, fs.readFileSync(path.join(folder, name), "latin1")] as const);
  const places = [...files(), ["the log", JSON.stringify(logged)], ["the events", events]];
  close(db);
  places.push(
    ...files(),
    ["an export", contentOf(file)],
    ["a masked export", contentOf(file, { withSecrets: false })],
  );
  for (const [where, text] of places)
    for (const hidden of [PASSWORD, session, secret, secret.slice(5)])
      assert.ok(!text!.includes(hidden), where);
  assert.ok(logged.length > 0);
});
