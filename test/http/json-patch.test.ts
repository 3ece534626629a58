import assert from "node:assert/strict";
import { test } from "node:test";
import { applyJsonPatch, JsonPatch } from "../../src/http/json-patch.ts";
import { check } from "../../src/lib/validation.ts";

const FLAG = { name: "f", description: null, stale: false, list: ["a", "b"], inner: { length: 1 } };

const apply = (...steps: object[]) => applyJsonPatch(FLAG, steps as JsonPatch) as Record<string, unknown>;

for (const [name, steps, expected] of [
  ["add", [{ op: "add", path: "/description", value: "d" }], { description: "d" }],
  ["remove", [{ op: "remove", path: "/stale" }], { stale: undefined }],
  ["replace with null", [{ op: "replace", path: "/stale", value: null }], { stale: null }],
  ["move", [{ op: "move", from: "/name", path: "/other" }], { name: undefined, other: "f" }],
  ["copy", [{ op: "copy", from: "/name", path: "/description" }], { description: "f" }],
  ["the end of a list", [{ op: "add", path: "/list/-", value: "c" }], { list: ["a", "b", "c"] }],
  [
    "a property called length",
    [{ op: "replace", path: "/inner/length", value: 2 }],
    { inner: { length: 2 } },
  ],
  ["a successful test", [{ op: "test", path: "/list", value: ["a", "b"] }], {}],
  ["an escaped name", [{ op: "add", path: "/a~1b~0c", value: 1 }], { "a/b~c": 1 }],
  ["no steps", [], {}],
] as const) {
  test(`a patch: ${name}`, () => {
    const before = structuredClone(FLAG);
    const result = { ...FLAG, ...expected } as Record<string, unknown>;
    for (const key of Object.keys(result)) if (result[key] === undefined) delete result[key];
    assert.deepEqual(apply(...steps), result);
    assert.deepEqual(FLAG, before, "the original value is not modified");
  });
}

const doubling = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "", path: `/x${index}` }));
const deepening = Array.from({ length: 120 }, (_, index) => [
  { op: "add", path: `/${index + 1}`, value: {} },
  { op: "move", from: `/${index}`, path: `/${index + 1}/x` },
]).flat();

for (const [name, steps, path] of [
  ["a failed test", [{ op: "test", path: "/name", value: "g" }], "body.0"],
  [
    "the second step",
    [
      { op: "remove", path: "/stale" },
      { op: "remove", path: "/stale" },
    ],
    "body.1",
  ],
  ["a missing value", [{ op: "add", path: "/description" }], "body.0"],
  ["a copy from nowhere", [{ op: "copy", path: "/x" }], "body.0"],
  ["a move from nowhere", [{ op: "move", path: "/x" }], "body.0"],
  ["a move into itself", [{ op: "move", from: "", path: "/x" }], "body.0"],
  ["replacing the whole value", [{ op: "replace", path: "", value: {} }], "body.0"],
  ["into text", [{ op: "add", path: "/name/0", value: "x" }], "body.0"],
  ["into true or false", [{ op: "add", path: "/stale/x", value: "x" }], "body.0"],
  ["into null", [{ op: "add", path: "/description/x", value: "x" }], "body.0"],
  ["the length of a list", [{ op: "replace", path: "/list/length", value: 4e9 }], "body.0"],
  ["moving the length of a list", [{ op: "move", from: "/list/length", path: "/x" }], "body.0"],
  ["beyond the end of a list", [{ op: "add", path: "/list/9", value: "x" }], "body.0"],
  ["a prototype", [{ op: "add", path: "/__proto__/polluted", value: 1 }], "body.0"],
  ["a constructor", [{ op: "add", path: "/constructor/prototype/polluted", value: 1 }], "body.0"],
  ["copies of copies", doubling, "body.13"],
  ["moves ever deeper", [{ op: "add", path: "/0", value: {} }, ...deepening], "body"],
] as const) {
  test(`a patch that can't be applied: ${name}`, () => {
    assert.throws(
      () => apply(...steps),
      (error: { status: number; details: Array<{ path: string; message: string }> }) => {
        assert.equal(error.status, 400);
        assert.equal(error.details[0]!.path, path, error.details[0]!.message);
        return true;
      },
    );
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
}

test("a patch has at most a thousand steps of RFC 6902, with valid pointers and limited nesting", () => {
  const step = { op: "remove", path: "/a" };
  let deep: unknown = 1;
  for (let level = 0; level <= 100; level++) deep = [deep];
  const wrong = [{}, [{}], [{ ...step, op: "x" }], [{ ...step, path: "a" }], Array(1001).fill(step), [null]];
  for (const body of [...wrong, [{ op: "add", path: "/a", value: deep }]])
    assert.ok(check(JsonPatch, body, "body").violations);
  assert.equal(check(JsonPatch, Array(1000).fill(step), "body").violations, undefined);
});
