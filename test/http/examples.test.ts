import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import type { Operation } from "../../src/http/operation.ts";
import { OPERATIONS, SURFACES } from "../../src/server/surfaces.ts";
import { exampleUrl, exampleWorld } from "../support/examples.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
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
  prepareSecondFactor: 401,
  addSecondFactor: 401,
  removeSecondFactor: 401,
  resetSecondFactor: 404,
  edgeCreateOrReturnTokens: 401,
  sendResetPasswordEmail: 404,
  importFile: 409, // into memory
  importServer: 409,
};

/** Examples to send first. Creating what is missing goes without saying. */
const BEFORE: Readonly<Record<string, string>> = { getUndo: "createBanner", undo: "createBanner" };

/** What creates the subject of an operation: another POST to its path, or to the list that it is in. */
const creationFor = (operation: Operation) =>
  OPERATIONS.findLast(
    (one) =>
      one.method === "POST" &&
      one !== operation &&
      (operation.path === one.path || operation.path.startsWith(`${one.path}/:`)),
  );

const tokenFor = (operation: Operation) => {
  const { prefix } = SURFACES.find(({ operations }) => operations.includes(operation))!;
  if (["/api/client", "/edge/metrics"].includes(prefix)) return CLIENT;
  return ["/api/frontend", "/ofrep", "/ofrep/v1/stream"].includes(prefix) ? FRONTEND : personal(1);
};

test("every operation has an example that is valid", () => {
  for (const operation of OPERATIONS) {
    const { id, body, isBodyOptional, example } = operation;
    if (!isBodyOptional) assert.equal(example !== undefined, body !== undefined, id);
    if (body && example !== undefined) assert.deepEqual(v.safeParse(body, example).issues, undefined, id);
  }
});

type Send = Awaited<ReturnType<typeof openServer>>["request"];

/** Sends the example, after what it needs. @returns what is wrong with the response */
async function problemsOf(request: Send, operation: Operation): Promise<string[]> {
  const { id, method, example: body } = operation;
  const call = { method, as: tokenFor(operation), ...(body !== undefined && { body }) };
  const send = () => request(exampleUrl(operation), call);
  const expected = OTHERWISE[id] ?? operation.status ?? 200;
  const problems = [];
  let reply = BEFORE[id] === undefined ? await send() : undefined;
  if (!reply || (reply.status === 404 && expected !== 404)) {
    const before = OPERATIONS.find((one) => one.id === BEFORE[id]) ?? creationFor(operation);
    if (before) problems.push(...(await problemsOf(request, before)));
    reply = await send();
  }
  if (reply.status !== expected) problems.push(`${id}: ${reply.status} ${reply.text.slice(0, 160)}`);
  return problems;
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

const ofType = (type: string) => ({ "content-type": type });

/** Bodies that no operation reads, each with its status and, for 400, the place of the mistake. */
const UNREADABLE: ReadonlyArray<
  [name: string, body: string | Buffer, expected: unknown[], headers?: Record<string, string>]
> = [
  ["no body", "", [400, "body"]],
  ["malformed JSON", `{"name":`, [400, "body"]],
  ["null", "null", [400, "body"]],
  ["text", `"name"`, [400, "body"]],
  ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), [400, "body"]],
  ["plain text", "{}", [415], ofType("text/plain")],
  ["a form", "{}", [415], ofType("application/x-www-form-urlencoded")],
  ["another charset", "{}", [415], ofType("application/json; charset=iso-8859-1")],
  ["no type", "{}", [415], ofType("")],
  ["more than a megabyte", JSON.stringify({ extra: "x".repeat(1024 * 1024) }), [413]],
];

const OBJECT = [
  ["a list", "[]", [400, "body"]],
  ["NUL in an unused property", JSON.stringify({ extra: "a\0b" }), [400, "body.extra"]],
] as const;

test("no operation takes a body that it can't read", async (t) => {
  const { request, db } = await openServer(t, exampleWorld());
  const recorded = watchLog(db);
  const found = [];
  for (const operation of OPERATIONS) {
    const { id, method, body: schema, isBodyOptional } = operation;
    if (!schema) continue;
    const others = schema.type === "array" ? [["an object", "{}", [400, "body"]] as const] : OBJECT;
    for (const [name, body, expected, headers = {}] of [...UNREADABLE, ...others]) {
      if (isBodyOptional && body === "") continue;
      const reply = await request(exampleUrl(operation), { method, as: tokenFor(operation), body, headers });
      const [status, path = reply.body?.details?.[0].path] = expected;
      if (reply.status !== status || reply.body.details[0].path !== path)
        found.push(`${id}: ${name}: ${reply.text}`);
    }
  }
  assert.deepEqual(found, []);
  assertRecorded(recorded(), []);
});
