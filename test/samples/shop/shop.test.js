import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: process.env.UNLEASH_URL,
  appName: "shop",
  customHeaders: { Authorization: process.env.UNLEASH_API_TOKEN },
  refreshInterval: 50,
  disableMetrics: true,
});
after(() => flags.destroy());

const admin = `${process.env.FLAGSTONE_URL}/api/admin/projects/default/features`;
const headers = { authorization: process.env.UNLEASH_ADMIN_TOKEN };

test("the new checkout is for Scandinavia", () => {
  assert.equal(flags.isEnabled("new-checkout", { properties: { country: "NO" } }), true);
  assert.equal(flags.isEnabled("new-checkout", { properties: { country: "DE" } }), false);
});

test("a test can enable a flag", async () => {
  assert.equal(flags.isEnabled("old-checkout"), false);
  const changed = new Promise((resolve) => flags.once("changed", resolve));
  await fetch(`${admin}/old-checkout/environments/development/on`, { method: "POST", headers });
  await changed;
  assert.equal(flags.isEnabled("old-checkout"), true);
});
