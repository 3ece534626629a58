import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../support/server.ts";

for (const [path, reason] of [
  [
    "/api/admin/auth/saml/settings",
    "signing in through another system by SAML, or at Google, is not part of it",
  ],
  ["/scim/Users", "SCIM is not part of it"],
  ["/api/admin/scim-settings", "SCIM is not part of it"],
  ["/api/admin/signals", "signals and actions are not part of it"],
  ["/api/admin/projects/default/actions", "signals and actions are not part of it"],
  ["/api/admin/release-plan-templates", "release plans are not part of it"],
  ["/api/admin/license/check", "it needs no licence"],
  ["/api/admin/invoices", "there is nothing to pay for"],
  ["/api/admin/email/preview/html/reset-password", "it sends no e-mail"],
  ["/api/admin/ai", "it has no assistant"],
  ["/api/admin/insights", "insights into use and traffic are not part of it"],
  ["/api/admin/metrics/traffic/2026-11", "insights into use and traffic are not part of it"],
] as const) {
  test(`${path} is a 404 with an explanation`, async (t) => {
    const { request } = await openServer(t);
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const { status, body } = await request(path, { method });
      assert.deepEqual([status, body.name], [404, "NotFoundError"]);
      assert.equal(body.message, `Flagstone has no operation ${method} ${path}: ${reason}`);
      assert.deepEqual(body.details, [{ message: body.message }]);
    }
  });
}

test("without a credential, these paths look like any other", async (t) => {
  const { request } = await openServer(t);
  const { status, body } = await request("/api/admin/license/check", { as: null });
  assert.deepEqual([status, body.name], [401, "AuthenticationRequired"]);
});
