import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import type { Operation } from "../../src/http/operation.ts";
import { exampleOf } from "../../src/server/examples.ts";
import { OPERATIONS, SURFACES } from "../../src/server/surfaces.ts";
import { exampleWorld } from "../support/examples.ts";
import { openServer } from "../support/server.ts";
import { CLIENT, FRONTEND, personal } from "../support/world.ts";

/** Examples that name a server-generated value, such as a secret: the response to any other value. */
const OTHERWISE: Readonly<Record<string, number>> = {
  getPublicSignupToken: 404,
  updatePublicSignupToken: 404,
  validatePublicSignupToken: 400,
  addPublicSignupTokenUser: 400,
  endSession: 404,
  changeMyPassword: 401,
  changePassword: 401,
  validateToken: 401,
  login: 401,
  sendResetPasswordEmail: 404,
};

/** Examples to send first, as preparation. */
const BEFORE: Readonly<Record<string, string>> = {
  updateBanner: "createBanner",
  deleteBanner: "createBanner",
  enableBanner: "createBanner",
  disableBanner: "createBanner",
  getApplication: "createApplication",
  deleteServiceAccountToken: "createServiceAccountToken",
  deleteProjectApiToken: "createProjectApiToken",
};

const tokenFor = (operation: Operation) => {
  const { prefix } = SURFACES.find(({ operations }) => operations.includes(operation))!;
  if (["/api/client", "/edge/metrics"].includes(prefix)) return CLIENT;
  return ["/api/frontend", "/ofrep", "/ofrep/v1/stream"].includes(prefix) ? FRONTEND : personal(1);
};

function urlOf(operation: Operation) {
  const { params, query } = exampleOf(operation);
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!));
  const search = String(new URLSearchParams(query));
  return search === "" ? path : `${path}?${search}`;
}

test("every operation has an example that is valid", () => {
  for (const operation of OPERATIONS) {
    const { body } = exampleOf(operation);
    if (!operation.isBodyOptional)
      assert.equal(body !== undefined, operation.body !== undefined, operation.id);
    if (operation.body && body !== undefined)
      assert.deepEqual(v.safeParse(operation.body, body).issues, undefined, operation.id);
  }
});

type Send = Awaited<ReturnType<typeof openServer>>["request"];

/** Sends the example. @returns what is wrong with the response */
async function problemsOf(request: Send, operation: Operation): Promise<string[]> {
  const before = OPERATIONS.find(({ id }) => id === BEFORE[operation.id]);
  const first = before ? await problemsOf(request, before) : [];
  const { method } = operation;
  const { body } = exampleOf(operation);
  const call = { method, as: tokenFor(operation), ...(body !== undefined && { body }) };
  const { status, text } = await request(urlOf(operation), call);
  const expected = OTHERWISE[operation.id] ?? operation.status ?? 200;
  return status === expected ? first : [...first, `${operation.id}: ${status} ${text.slice(0, 160)}`];
}

/** Streams, and operations that need a delivering server, are tested elsewhere. */
const ELSEWHERE = ["streamRefetches", "testAddon", "redeliverAddonEvent"];

test("every example of a read succeeds", async (t) => {
  const { request } = await openServer(t, exampleWorld());
  const found = [];
  for (const operation of OPERATIONS.filter(({ changes, id }) => !changes && !ELSEWHERE.includes(id)))
    found.push(...(await problemsOf(request, operation)));
  assert.deepEqual(found, []);
});

test("every example of a change succeeds", async (t) => {
  const found = [];
  for (const operation of OPERATIONS.filter(({ changes, id }) => changes && !ELSEWHERE.includes(id))) {
    const { request } = await openServer(t, exampleWorld());
    found.push(...(await problemsOf(request, operation)));
  }
  assert.deepEqual(found, []);
});
