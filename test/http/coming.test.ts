import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld } from "../support/world.ts";

test("requests during compression share the response, and after a change get the new one", async (t) => {
  const world = createWorld().project("a");
  for (let number = 0; number < 500; number++) world.feature(`flag-${number}`, "a");
  const { listener, request } = await openServer(t, world);
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const poll = async (signal: AbortSignal | null = null) => {
    const headers = { authorization: CLIENT, "accept-encoding": "gzip" };
    const response = await fetch(`http://127.0.0.1:${port}/api/client/features`, { headers, signal });
    const { features } = (await response.json()) as { features: Array<{ enabled: boolean }> };
    return features.filter(({ enabled }) => enabled).length;
  };
  for (let number = 0; number < 10; number++) {
    const stop = new AbortController();
    const leaves = poll(stop.signal).catch(() => {}); // the first client may leave
    const polls = Array.from({ length: 10 }, () => poll());
    stop.abort();
    assert.deepEqual([...new Set(await Promise.all(polls))], [number]);
    await leaves;
    const path = `/api/admin/projects/a/features/flag-${number}/environments/development/on`;
    const early = poll(); // either before or after the change
    await request(path, { method: "POST" });
    assert.equal(await poll(), number + 1);
    assert.ok([number, number + 1].includes(await early));
  }
});
