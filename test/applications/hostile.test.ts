import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientFeature } from "../../src/evaluation/client-feature.ts";
import type { Constraint } from "../../src/evaluation/constraint.ts";
import { toContext } from "../../src/evaluation/context.ts";
import { createEvaluator } from "../../src/evaluation/evaluator.ts";

const flag = (constraint: Partial<Constraint>): ClientFeature => ({
  name: "flag",
  type: "release",
  enabled: true,
  project: "default",
  stale: false,
  strategies: [
    {
      name: "default",
      parameters: {},
      variants: [],
      constraints: [
        {
          contextName: "x",
          operator: "IN",
          inverted: false,
          caseInsensitive: false,
          values: [],
          ...constraint,
        },
      ],
    },
  ],
  variants: [],
  description: null,
  impressionData: false,
});

/** Whether the constraint is met in this context. */
const holds = (constraint: Partial<Constraint>, given: Record<string, unknown>) =>
  createEvaluator([flag(constraint)], []).evaluate("flag", toContext(given)).feature_enabled;

const NOT_IN = { operator: "NOT_IN", values: ["somebody"] };

test("inherited properties of objects are not in a context", () => {
  for (const contextName of ["__proto__", "constructor", "toString", "hasOwnProperty"])
    assert.equal(holds({ contextName, operator: "STR_CONTAINS", values: ["o"] }, {}), false, contextName);
  const hostile = JSON.parse(
    '{"__proto__": {"x": "1"}, "properties": {"__proto__": "2", "constructor": "3"}}',
  );
  assert.equal(holds({ values: ["1"] }, hostile), false);
  assert.equal(holds({ contextName: "__proto__", values: ["2"] }, hostile), true, "but own properties are");
  assert.equal(holds({ contextName: "constructor", values: ["3"] }, hostile), true);
});

test("a flag that the evaluator throws for is off, and so is one that depends on it", () => {
  const broken = { ...flag({}), name: "broken", strategies: [null as never] };
  const child = {
    ...flag({ operator: "NOT_IN" }),
    name: "child",
    dependencies: [{ feature: "broken", enabled: true }],
  };
  const other = { ...flag({ operator: "NOT_IN" }), name: "other" };
  const evaluator = createEvaluator([broken, child, other], []);
  const results = ["broken", "child", "other"].map((name) => evaluator.evaluate(name, toContext({})));
  assert.deepEqual(
    results.map(({ feature_enabled: isOn, error }) => [isOn, typeof error]),
    [
      [false, "string"],
      [false, "string"],
      [true, "undefined"],
    ],
  );
});

for (const [name, given] of [
  ["a list", { x: ["somebody"] }],
  ["an object", { x: { toString: "somebody" } }],
  ["null", { x: null }],
  ["an overlong text", { x: "s".repeat(2001) }],
  ["properties as a list", { properties: ["somebody"] }],
  ["properties as text", { properties: "somebody" }],
  ["nested properties", { properties: { properties: { x: "somebody" } } }],
  ["a lone surrogate", { x: "\ud800" }],
] as const)
  test(`${name} matches no value`, () => assert.equal(holds(NOT_IN, given), true));

test("numbers and booleans are compared as text", () => {
  assert.equal(holds({ values: ["7"] }, { x: 7 }), true);
  assert.equal(holds({ values: ["false"] }, { properties: { x: false } }), true);
});

test("ten thousand properties", () => {
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, "v"]));
  assert.equal(holds({ contextName: "p9999", values: ["v"] }, { properties }), true);
});

test("an id with a lone surrogate is hashed consistently", () => {
  const feature = flag({});
  const strategy = { ...feature.strategies[0]!, name: "flexibleRollout", constraints: [] };
  const parameters = { rollout: "50", stickiness: "userId", groupId: "g" };
  const evaluator = createEvaluator([{ ...feature, strategies: [{ ...strategy, parameters }] }], []);
  const once = () => evaluator.evaluate("flag", toContext({ userId: "\udfff" })).feature_enabled;
  assert.equal(once(), once());
});

for (const [operator, value, given] of [
  ["SEMVER_GT", "1.0.0", ["v2.0.0", "2", "2.0", "2.0.0.0", "02.0.0", "2.0.0-", " ", "∞", "2.0.0-á"]],
  ["SEMVER_EQ", "not a version", ["1.0.0", "not a version"]],
  ["NUM_GTE", "0", ["many", "1e", "--1", "0x", "1,5", "NaN", "١"]],
  ["NUM_EQ", "many", ["many", "1"]],
  ["REGEX", "(", ["(", ""]],
  ["REGEX", "(?=a)", ["a"]],
  ["LIKE", "a", ["a"]],
] as const)
  test(`${operator} ${value} is not met by ${given.join(" ")}`, () => {
    for (const x of given) assert.equal(holds({ operator, value }, { x }), false, x);
  });

test("IN_CIDR is not met by malformed addresses and ranges", () => {
  const inAll = { operator: "IN_CIDR", values: ["0.0.0.0/0", "::/0"] };
  for (const x of ["10.0.0", "10.0.0.256", "10.0.0.0.0", ":::", "fe80", "localhost", "1".repeat(500), "/"])
    assert.equal(holds(inAll, { x }), false, x);
  assert.equal(holds(inAll, { x: "10.0.0.1" }) && holds(inAll, { x: "::1" }), true);
  for (const range of ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129", "", "/8", "10/8"])
    assert.equal(holds({ operator: "IN_CIDR", values: [range] }, { x: "10.0.0.1" }), false, range);
});

test("DATE_AFTER and DATE_BEFORE are not met by an invalid date; an invalid current time means now", () => {
  for (const value of ["soon", "", "2026-13-01", "2026-02-30T25:00:00Z", "99999999999999999999"])
    for (const operator of ["DATE_AFTER", "DATE_BEFORE"])
      assert.equal(holds({ operator, value }, {}), false, value);
  const past = { operator: "DATE_AFTER", value: "2020-01-01T00:00:00Z" };
  for (const currentTime of ["soon", {}, null, Number.NaN]) assert.equal(holds(past, { currentTime }), true);
});

test("regular expressions run in linear time, even those that others backtrack on for years", {
  timeout: 60_000,
}, () => {
  const x = `${"a".repeat(1999)}!`;
  for (const value of [
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(.*)*b",
  ])
    assert.equal(holds({ operator: "REGEX", value }, { x }), false, value);
});
