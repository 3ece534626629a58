import assert from "node:assert/strict";
import type { Scenario } from "./server.ts";
import { CLIENT, FRONTEND, personal, type World } from "./world.ts";

type Common = Pick<Scenario, "given" | "url" | "as">;

/** A scenario for each body with one mistake: a 400 that says where, and no events. */
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

/** Bodies that no operation with a JSON body accepts. */
export const unreadableBodies = (common: Common): Scenario[] => [
  ...badBodies(common, [
    ["no body", "", "body"],
    ["malformed JSON", `{"name":`, "body"],
    ["null", "null", "body"],
    ["a list", [], "body"],
    ["text", `"name"`, "body"],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "body"],
    ["NUL in an unused property", { extra: "a\0b" }, "body.extra"],
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

/** Callers without access to any operation of the API; other errors are not revealed to them. */
export const outsiders = (common: Omit<Common, "as"> & Pick<Scenario, "body">): Scenario[] => [
  { ...common, name: "no credential", as: null, expect: [401, "AuthenticationRequired"] },
  { ...common, name: "an unknown token", as: `${personal(1)}0`, expect: [401, "AuthenticationRequired"] },
  { ...common, name: "a client token", as: CLIENT, expect: [403, "NoAccessError"] },
  { ...common, name: "a frontend token", as: FRONTEND, expect: [403, "NoAccessError"] },
];

/** Gives user 3, a Viewer, a custom role with these permissions in the existing project `a`. */
export const withCustomRole =
  (given: (world: World) => World, ...permissions: Array<{ name: string; environment?: string }>) =>
  (world: World) =>
    given(world.add("role", { id: 7, name: "Custom", type: "custom", permissions })).member("a", 3, 7);

/** The same with a custom root role, for user 5. */
export const withCustomRoot =
  (given: (world: World) => World, ...permissions: Array<{ name: string; environment?: string }>) =>
  (world: World) =>
    given(
      world
        .add("role", { id: 8, name: "Custom root", type: "custom-root", permissions })
        .user({ rootRole: 8 }),
    );
