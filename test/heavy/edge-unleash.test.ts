import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { get, openEdge, SPEC } from "../edge/serving.ts";
import { until } from "../support/receiver.ts";
import { openUnleash, UNLEASH_VERSIONS, WITHOUT_UNLEASH } from "../support/unleash.ts";

const [BACKEND, PAGE] = ["*:development.backend-token", "*:development.frontend-token"];

/** Its own page API is behind its flags for up to its refresh interval. */
const AN_UNLEASH_IS_SLOW = 60_000;

type Named = { name: string };
const byName = (list: Named[]) => list.sort((a, b) => (a.name < b.name ? -1 : 1));

for (const version of UNLEASH_VERSIONS) {
  test(`an edge serves the flags of an Unleash ${version}, and tells it of their use`, {
    skip: WITHOUT_UNLEASH,
  }, async (t) => {
    const env = { INIT_CLIENT_API_TOKENS: BACKEND, INIT_FRONTEND_API_TOKENS: PAGE };
    const unleash = await openUnleash(t, version, env);
    const project = "/api/admin/projects/default/features";
    const constraints = [{ contextName: "userId", operator: "IN", values: ["7"] }];
    const { id } = await unleash.ask("POST", "/api/admin/segments", { name: "staff", constraints });
    for (const name of ["cart", "search"]) {
      await unleash.ask("POST", project, { name });
      const place = `${project}/${name}/environments/development`;
      const strategy = { name: "default", segments: name === "cart" ? [id] : [] };
      await unleash.ask("POST", `${place}/strategies`, strategy);
      await unleash.ask("POST", `${place}/on`);
    }
    const edge = await openEdge(t, unleash.url, { tokens: [BACKEND], pollMs: 200 });
    const same = async (where: string, token: string, key: "features" | "toggles") => {
      const [own, other] = [
        await get(unleash.url + where, token, SPEC),
        await get(edge.url + where, token, SPEC),
      ];
      const listIn = ({ text }: { text: string }) => byName(JSON.parse(text)[key] ?? []);
      return listIn(own).length > 0 && isDeepStrictEqual(listIn(other), listIn(own));
    };
    await until(() => same("/api/client/features", BACKEND, "features"), "its flags", AN_UNLEASH_IS_SLOW);
    for (const user of ["7", "8"]) {
      const path = `/api/frontend?userId=${user}`;
      await until(() => same(path, PAGE, "toggles"), "what a page gets", AN_UNLEASH_IS_SLOW);
    }
    await unleash.ask("DELETE", `${project}/search`);
    await until(
      async () => !(await get(`${edge.url}/api/client/features`, BACKEND)).text.includes("search"),
      "a change",
      AN_UNLEASH_IS_SLOW,
    );
    const now = new Date().toISOString();
    await fetch(`${edge.url}/api/client/metrics`, {
      method: "POST",
      headers: { authorization: BACKEND, "content-type": "application/json" },
      body: JSON.stringify({
        appName: "till",
        bucket: { start: now, stop: now, toggles: { cart: { yes: 5, no: 1 } } },
      }),
    });
    const isCounted = async () => {
      const { lastHourUsage } = await unleash.ask("GET", "/api/admin/client-metrics/features/cart");
      return lastHourUsage[0]?.yes === 5;
    };
    await until(isCounted, "the use", AN_UNLEASH_IS_SLOW);
    await unleash.stop();
    assert.equal((await get(`${edge.url}/api/client/features`, BACKEND)).status, 200);
  });
}
