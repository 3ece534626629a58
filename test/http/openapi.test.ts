import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { openServer } from "../support/server.ts";

/** One server for all tests, since it makes a document once, which takes half a second. */
const { request } = await openServer({ after } as TestContext);

for (const [query, version] of [
  ["?version=3.1", "3.1.0"],
  ["?version=3.0", "3.0.0"],
]) {
  test(`the OpenAPI document ${query} is ${version} and passes a linter`, async () => {
    const { status, headers, text, body } = await request(`/docs/openapi.json${query}`, { as: null });
    assert.deepEqual([status, headers.get("content-type")], [200, "application/json; charset=utf-8"]);
    assert.equal(body.openapi, version);
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
}

test("without a version, it is 3.1", async () => {
  const [some, latest] = [
    await request("/docs/openapi.json"),
    await request("/docs/openapi.json?version=3.1"),
  ];
  assert.deepEqual([some.status, some.text], [200, latest.text]);
});

test("another version is refused", async () => {
  for (const version of ["2.0", "3", "", "x".repeat(1000)]) {
    const { status, body } = await request(`/docs/openapi.json?version=${version}`, { as: null });
    assert.deepEqual([status, body.name, body.details[0].path], [400, "ValidationError", "query.version"]);
  }
});

test("in 3.0, what may be null says so in its way", async () => {
  const { body, text } = await request("/docs/openapi.json?version=3.0", { as: null });
  const { User, InvitedUser } = body.components.schemas;
  assert.deepEqual(User.properties.name, { type: "string", nullable: true });
  const [name, none] = InvitedUser.properties.username.anyOf;
  assert.match(name.$ref, /^#\/components\/schemas\//);
  assert.deepEqual(none, { type: "string", nullable: true, enum: [null] });
  assert.doesNotMatch(text, /"type":("null"|\[)|"(const|prefixItems|propertyNames|contentSchema)":/);
});

test("operations say what they require and record, and properties what they mean", async () => {
  const { body } = await request("/docs/openapi.json", { as: null });
  const { post } = body.paths["/api/admin/projects/{projectId}/features"];
  assert.match(post.description, /^Requires `CREATE_FEATURE`\. Records `feature-created`, .*`\.$/);
  const search = body.paths["/api/admin/events/search"].post.requestBody.content["application/json"].schema;
  assert.match(
    JSON.stringify(search) + JSON.stringify(body.components.schemas.EventSearch),
    /The id of the event/,
  );
});

test("it says which operations need no credential", async () => {
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
