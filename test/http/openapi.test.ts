import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { OPERATIONS } from "../../src/surfaces.ts";
import { openServer } from "../support/server.ts";

test("the OpenAPI document passes a linter", async (t) => {
  const { request } = await openServer(t);
  const { status, headers, text, body } = await request("/docs/openapi.json", { as: null });
  assert.deepEqual([status, headers.get("content-type")], [200, "application/json; charset=utf-8"]);
  // Some paths of the original are ambiguous; literal segments take precedence over parameters.
  const rules = { "no-ambiguous-paths": "off" } as const;
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const problems = await lintFromString({ source: text, config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
  for (const { method, path, id } of OPERATIONS.filter(({ status: success }) => success !== 410)) {
    const described = body.paths[path.replaceAll(/:(\w+)/g, "{$1}")][method.toLowerCase()];
    assert.equal(described.operationId, id);
  }
  assert.equal(new Set(OPERATIONS.map(({ id }) => id)).size, OPERATIONS.length);
});

test("it says which operations need no credential", async (t) => {
  const { request } = await openServer(t);
  const { body } = await request("/docs/openapi.json", { as: null });
  for (const { method, path, status: success } of OPERATIONS) {
    if (success === 410 || method !== "GET" || path.includes(":")) continue;
    const reply = await request(path, { as: null });
    const isRefused = reply.body?.name === "AuthenticationRequired";
    assert.equal(body.paths[path].get.security === undefined, isRefused, path);
  }
  assert.equal(body.paths["/ofrep/v1/evaluate/flags"].post.security, undefined);
  assert.deepEqual(body.paths["/auth/simple/login"].post.security, []);
});
