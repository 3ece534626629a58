import assert from "node:assert/strict";
import type { Scenario } from "./server.ts";
import { CLIENT, FRONTEND, personal, type World } from "./world.ts";

type Common = Pick<Scenario, "given" | "url" | "as">;

/** A scenario for each body that is wrong in one place: 400 that says where, and nothing is recorded. */
export const badBodies = (
  common: Common,
  list: ReadonlyArray<[name: string, body: unknown, path: string]>,
): Scenario[] =>
  list.map(([name, body, path]) => ({
    ...common,
    name,
    body,
    expect: [400, "ValidationError"],
    see: ({ message, details }) => {
      assert.equal(details[0].path, path, message);
      assert.ok(message.startsWith(`${path}: `), message);
    },
  }));

/** What no operation takes that reads a JSON object. */
export const noBodies = (common: Common): Scenario[] => [
  ...badBodies(common, [
    ["no body", "", "body"],
    ["malformed JSON", `{"name":`, "body"],
    ["null", "null", "body"],
    ["a list", [], "body"],
    ["text", `"name"`, "body"],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "body"],
    ["NUL in a property that nobody reads", { extra: "a\0b" }, "body.extra"],
  ]),
  ...["text/plain", "application/x-www-form-urlencoded", "application/json; charset=iso-8859-1", ""].map(
    (type): Scenario => ({
      ...common,
      name: `the content type ${JSON.stringify(type)}`,
      headers: { "content-type": type },
      body: "{}",
      expect: [415, "ContentTypeError"],
    }),
  ),
  {
    ...common,
    name: "a body of more than a megabyte",
    body: { extra: "x".repeat(1024 * 1024) },
    expect: [413, "PayloadTooLargeError"],
  },
];

/** Whom no operation of the API lets in; what is wrong with the rest is not told. */
export const strangers = (common: Omit<Common, "as"> & Pick<Scenario, "body">): Scenario[] => [
  { ...common, name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { ...common, name: "an unknown token", as: `${personal(1)}0`, expect: [401, "AuthenticationRequired"] },
  { ...common, name: "a client token", as: CLIENT, expect: [403, "NoAccessError"] },
  { ...common, name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
];

/** Gives the user 3, a Viewer, a custom role of these permissions in the project `a`, which is there. */
export const withCustomRole =
  (given: (world: World) => World, ...permissions: Array<{ name: string; environment?: string }>) =>
  (world: World) =>
    given(world.add("role", { id: 7, name: "Custom", type: "custom", permissions })).member("a", 3, 7);

/** The same with a custom root role, for a user 5. */
export const withCustomRoot =
  (given: (world: World) => World, ...permissions: Array<{ name: string; environment?: string }>) =>
  (world: World) =>
    given(
      world
        .add("role", { id: 8, name: "Custom root", type: "custom-root", permissions })
        .user({ rootRole: 8 }),
    );
