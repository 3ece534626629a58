import assert from "node:assert/strict";
import type { Scenario } from "./server.ts";
import type { World } from "./world.ts";

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
