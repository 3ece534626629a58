import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { openServer } from "../support/server.ts";
import { createWorld, FRONTEND } from "../support/world.ts";

test("OpenFeature's browser provider opens the stream itself and sees each change, even after a lost connection", async (t) => {
  const { listener, request } = await openServer(t, createWorld().project("a").feature("menu", "a"));
  const asked: string[] = [];
  const server = http.createServer((req, res) => {
    asked.push(`${req.method} ${req.url!.split("?")[0]}`);
    return listener(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const child = fork(
    path.join(import.meta.dirname, "openfeature-web-child.ts"),
    [`http://127.0.0.1:${port}`, FRONTEND],
    {
      execArgv: ["--experimental-eventsource", "--no-warnings"],
    },
  );
  t.after(() => {
    child.kill();
    server.close();
    server.closeAllConnections();
  });
  const told = async () => (await once(child, "message"))[0] as boolean;
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await once(server, "request");
  };
  assert.equal(await told(), false);
  const isListening = () => asked.filter((one) => one === "GET /ofrep/v1/stream").length;
  await until(() => isListening() === 1);
  for (const [state, value] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const next = told();
    await request(`/api/admin/projects/a/features/menu/environments/development/${state}`, {
      method: "POST",
    });
    assert.equal(await next, value);
  }
  server.closeAllConnections();
  const next = told();
  await request("/api/admin/projects/a/features/menu/environments/development/on", { method: "POST" });
  assert.equal(await next, true);
  assert.equal(isListening(), 2);
});
