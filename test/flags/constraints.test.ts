import assert from "node:assert/strict";
import { scenarios } from "../support/server.ts";
import { personal, type World } from "../support/world.ts";

const IN = { contextName: "userId", operator: "IN", values: ["1"] };
const single = (operator: string, value?: unknown) => ({ contextName: "userId", operator, value });
const withFields = (w: World) =>
  w
    .add("contextField", { name: "userId" })
    .add("contextField", { name: "plan", legalValues: [{ value: "1" }, { value: "2" }] });

scenarios("POST /api/admin/constraints/validate", [
  ...[
    IN,
    { ...IN, inverted: true, caseInsensitive: true, unknown: 1 },
    { ...IN, operator: "STR_CONTAINS" },
    single("NUM_GTE", "-1.5e3"),
    single("NUM_GTE", "9007199254740991"),
    single("DATE_AFTER", "2026-01-31T09:00:00.000Z"),
    single("SEMVER_LT", "1.2.3-beta.1"),
    { contextName: "plan", operator: "NOT_IN", values: ["1", "2"] },
    { contextName: "plan", operator: "NUM_EQ", value: "2" },
  ].map((body) => ({
    name: `valid: ${JSON.stringify(body)}`,
    as: personal(3),
    given: withFields,
    body,
    expect: 204,
    see: (_: unknown, { text }: { text: string }) => assert.equal(text, ""),
  })),
  ...(
    [
      [{}, /^body\.contextName: is missing/],
      [{ contextName: "userId" }, /^body\.operator: is missing/],
      [{ contextName: "userId", operator: "LIKE" }, /^body\.operator: is not a known operator/],
      [{ ...IN, contextName: "" }, /^body\.contextName: must not be empty/],
      [{ ...IN, contextName: [] }, /^body\.contextName: must be text/],
      [{ ...IN, values: "1" }, /^body\.values: must be a list/],
      [{ ...IN, values: ["1", {}] }, /^body\.values\.1: must be text/],
      [{ ...IN, values: ["1", ""] }, /^body\.values\.1: must have 1 to 100/],
      [{ ...IN, values: ["x".repeat(101)] }, /^body\.values\.0: must have 1 to 100/],
      [{ ...IN, inverted: "no" }, /^body\.inverted: /],
      [
        { ...IN, operator: "STR_ENDS_WITH", values: [] },
        /^body\.values: STR_ENDS_WITH takes at least one value/,
      ],
      [{ ...IN, values: [] }, /^body\.values: IN takes at least one value/],
      [single("NUM_GT", "0x10"), /^body\.value: NUM_GT takes a number/],
      [single("SEMVER_EQ", "1.2.3+5"), /^body\.value: SEMVER_EQ takes a version/],
      [{ ...single("REGEX", "^a"), inverted: true }, /^body\.inverted: REGEX can't be inverted/],
      [single("NUM_GT"), /^body\.value: NUM_GT takes a number below 2\^53, not nothing/],
      [single("NUM_GT", "many"), /^body\.value: NUM_GT takes a number/],
      [single("NUM_GT", "9007199254740993"), /^body\.value: NUM_GT takes a number below 2\^53/],
      [single("NUM_LT", "-1e308"), /^body\.value: NUM_LT takes a number/],
      [single("NUM_GT", [5]), /^body\.value: must be text/],
      [single("DATE_BEFORE", "soon"), /^body\.value: DATE_BEFORE takes a date/],
      [single("SEMVER_EQ", "v1.2"), /^body\.value: SEMVER_EQ takes a version/],
      [{ contextName: "plan", operator: "IN", values: ["1", "3"] }, /^body\.values: is not among the legal/],
      [{ contextName: "plan", operator: "NUM_LT", value: "3" }, /^body\.value: is not among the legal/],
    ] as Array<[object, RegExp]>
  ).map(([body, what]) => ({
    name: `invalid: ${JSON.stringify(body).slice(0, 80)}`,
    given: withFields,
    body,
    expect: [400, "ValidationError"] as [number, string],
    see: ({ message }: { message: string }) => assert.match(message, what),
  })),
  {
    name: "an unknown context field",
    given: withFields,
    body: { ...IN, contextName: "nope" },
    expect: [404, "NotFoundError"],
  },
]);
