import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Unleash } from "unleash-client";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND } from "../support/world.ts";

const world = () =>
  createWorld()
    .project("a")
    .add("segment", {
      id: 1,
      name: "belgians",
      constraints: [{ contextName: "country", operator: "IN", values: ["be"] }],
    })
    .feature("cart", "a", {
      environments: [
        { name: "development", enabled: true, strategies: [{ id: "s", name: "default", segments: [1] }] },
      ],
    })
    .feature("menu", "a");

async function open(t: TestContext, token: string) {
  const { listener, request } = await openServer(t, world());
  const statuses: number[] = [];
  const server = http.createServer((req, res) => {
    res.on("finish", () => statuses.push(res.statusCode));
    listener(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const sdk = new Unleash({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    appName: "shop",
    customHeaders: { authorization: token },
    refreshInterval: 100,
    disableMetrics: true,
  });
  t.after(() => sdk.destroy());
  return { sdk, request, statuses };
}

test("the Node SDK starts, is told when nothing has changed, and sees a change", async (t) => {
  const { sdk, request, statuses } = await open(t, CLIENT);
  await once(sdk, "synchronized");
  const properties = { country: "be" };
  assert.equal(sdk.isEnabled("cart", { properties }), true, "a segment is evaluated");
  assert.equal(sdk.isEnabled("cart"), false);
  assert.equal(sdk.isEnabled("menu"), false);
  await once(sdk, "unchanged");
  assert.ok(statuses.includes(304));
  await request("/api/admin/projects/a/features/menu/environments/development/on", { method: "POST" });
  await once(sdk, "changed");
  assert.equal(sdk.isEnabled("menu"), true);
});

test("the Node SDK is refused with another kind of token", async (t) => {
  const { sdk, statuses } = await open(t, FRONTEND);
  const [error] = await once(sdk, "error");
  assert.match(String(error), /403|token/i);
  assert.deepEqual([...new Set(statuses)], [403]);
});
