import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../src/server/app.ts";

import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const DEEP = { text: '"summary":"](/data' };

test("with a public URL, avatars and summaries have absolute links, and nothing else changes", async (t) => {
  const world = createWorld()
    .project("a")
    .event({ project: "a", featureName: "f", data: DEEP })
    .integration();
  const { app, db, logged } = await openServer(t, world.integrationEvent());
  const { app: publicApp } = createServer({
    db,
    log: (line) => logged.push(line),
    publicUrl: "https://x.example/flags",
  });
  const ask = async (where: typeof app, path: string, init: RequestInit = {}) =>
    (
      await where.request(`/api/admin/${path}`, {
        headers: { authorization: personal(1), "content-type": "application/json" },
        ...init,
      })
    ).text();
  const absolute = (text: string) =>
    text
      .replaceAll('"/avatars/', '"https://x.example/flags/avatars/')
      .replaceAll("](/projects/", "](https://x.example/flags/projects/");
  for (const [path, body] of [
    ["events"],
    ["events?project=a"],
    ["events/search", "{}"],
    ["personal-dashboard/a"],
    ["addons/1/events"],
    ["user-admin/1"],
  ] as const) {
    const init = body === undefined ? {} : { method: "POST", body };
    const relative = await ask(app, path, init);
    const shown = await ask(publicApp, path, init);
    assert.notEqual(shown, relative, path);
    assert.equal(shown, absolute(relative), path);
  }
});
