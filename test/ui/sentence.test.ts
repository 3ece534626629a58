import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATORS as KNOWN } from "../../src/evaluation/constraint.ts";
import { constraintInWords, OPERATORS, strategyInWords } from "../../src/ui/sentence.ts";

/** Strips the direction marks around names. */
const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, "");

test("a strategy is described in words: who, in which segments, under which constraints", () => {
  const country = { contextName: "country", operator: "IN", values: ["NO", "SE"] };
  const rollout = (parameters: Record<string, string>) => ({ name: "flexibleRollout", parameters });
  for (const [strategy, segments, words] of [
    [{ name: "default" }, [], "Everyone"],
    [rollout({ rollout: "100" }), [], "Everyone"],
    [rollout({ rollout: "25", stickiness: "default" }), [], "25% of users"],
    [
      rollout({ rollout: "25", stickiness: "userId" }),
      ["beta"],
      "25% of users by userId, in the segment beta",
    ],
    [rollout({ rollout: "5", stickiness: "random" }), [], "5% of users at random on each evaluation"],
    [
      { ...rollout({ rollout: "25" }), constraints: [country, { ...country, inverted: true }] },
      ["beta", "staff"],
      "25% of users, in the segments beta and staff, where country is one of NO or SE and not (country is one of NO or SE)",
    ],
    [{ name: "userWithId", parameters: { userIds: "a, b ,,c" } }, [], "Users a, b or c"],
    [{ name: "remoteAddress", parameters: { IPs: "10.0.0.1" } }, [], "Clients at 10.0.0.1"],
    [{ name: "own", parameters: { cap: "3" } }, [], "Strategy own with cap 3"],
  ] as const)
    assert.equal(plain(strategyInWords(strategy, segments)), words);
});

test("a constraint is described in words; a long list is shortened", () => {
  const values = Array.from({ length: 1000 }, (_, index) => `v${index}`);
  for (const [constraint, words] of [
    [{ contextName: "id", operator: "IN", values }, "id is one of v0, v1, v2, v3, v4 and 995 more"],
    [{ contextName: "age", operator: "NUM_GTE", value: "18" }, "age ≥ 18"],
    [{ contextName: "app", operator: "SEMVER_LT", value: "2.0.0" }, "app is an earlier version than 2.0.0"],
    [
      { contextName: "email", operator: "STR_ENDS_WITH", values: ["@x"], caseInsensitive: true },
      "email ends with @x (ignoring case)",
    ],
    [{ contextName: "a", operator: "IN", values: [] }, "a is one of (no value)"],
    [{ contextName: "a", operator: "NEW_ONE", value: "1" }, "a NEW_ONE (no value)"],
  ] as const)
    assert.equal(plain(constraintInWords(constraint)), words);
});

test("there are words for every operator, and no others", () => {
  assert.deepEqual(OPERATORS.map(([name]) => name).toSorted(), KNOWN.toSorted());
});
