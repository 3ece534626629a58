import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../support/server.ts";

for (const [path, reason] of [
  ["/api/admin/projects/default/change-requests", "change requests are"],
  ["/api/admin/projects/default/change-requests/config", "change requests are"],
  ["/api/admin/projects/default/change-requests/7/state", "change requests are"],
  ["/api/admin/projects/default/environments/production/change-requests", "change requests are"],
  ["/api/admin/change-requests", "change requests are"],
  ["/api/admin/auth/oidc/settings", "signing in through another system (OIDC, SAML, Google) is"],
  ["/api/admin/auth/saml/settings", "signing in through another system (OIDC, SAML, Google) is"],
  ["/api/admin/auth/simple/settings", "signing in through another system (OIDC, SAML, Google) is"],
  ["/auth/oidc/login", "signing in through another system (OIDC, SAML, Google) is"],
  ["/scim/Users", "SCIM is"],
  ["/api/admin/scim-settings", "SCIM is"],
  ["/api/admin/signals", "signals and actions are"],
  ["/api/admin/projects/default/actions", "signals and actions are"],
  ["/api/admin/release-plan-templates", "release plans are"],
] as const) {
  test(`${path} is a 404 with an explanation`, async (t) => {
    const { request } = await openServer(t);
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const { status, body } = await request(path, { method });
      assert.deepEqual([status, body.name], [404, "NotFoundError"]);
      assert.equal(body.message, `Flagstone has no operation ${method} ${path}: ${reason} not part of it`);
      assert.deepEqual(body.details, [{ message: body.message }]);
    }
  });
}

test("without a credential, these paths look like any other", async (t) => {
  const { request } = await openServer(t);
  const { status, body } = await request("/api/admin/change-requests", { as: null });
  assert.deepEqual([status, body.name], [401, "AuthenticationRequired"]);
});
