import assert from "node:assert/strict";
import { test } from "node:test";
import type { Place } from "../../src/dataset/kind.ts";
import type { Database } from "../../src/db/database.ts";
import { makeDemo } from "../../src/demo/dataset.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks } from "../support/server.ts";
import { everyKey, HEADER, type Line, line, toText } from "./examples.ts";
import { empty } from "./importing.ts";

const strategy = (keys: Line) => ({
  environments: [{ name: "production", strategies: [{ name: "default", ...keys }] }],
});
const rollout = (value?: string) =>
  strategy({ name: "flexibleRollout", parameters: value === undefined ? {} : { rollout: value } });
const constraint = (operator: string, value?: string) =>
  strategy({ constraints: [{ contextName: "x", operator, ...(value !== undefined && { value }) }] });
const ranges = (...values: string[]) =>
  strategy({ constraints: [{ contextName: "x", operator: "IN_CIDR", values }] });
const variants = (...weights: number[]) =>
  weights.map((weight) => ({ name: "v", weight, weightType: "variable", stickiness: "default" }));

const IN = "environments.0.strategies.0";
const VALUE = `${IN}.constraints.0.value`;

/** Values that the API would refuse, with all warnings. */
const WARNED: ReadonlyArray<[kind: string, keys: Line, ...warnings: string[]]> = [
  ["feature", { type: "toggle" }, 'type: there is no flag type "toggle"'],
  [
    "feature",
    { links: [{ url: "javascript:alert(1)" }] },
    'links.0.url: must be a web address, not "javascript:alert(1)"',
  ],
  [
    "project",
    { linkTemplates: [{ urlTemplate: "mailto:{{feature}}" }] },
    "linkTemplates.0.urlTemplate: gives no web address, so flags don't get it",
  ],
  ["event", { type: "flag-exploded" }, 'type: "flag-exploded" is not an event type of this version'],
  ["event", { type: "constructor" }, 'type: "constructor" is not an event type of this version'],
  [
    "integration",
    { parameters: { url: "https://x.example" }, events: ["feature-created", "flag-exploded"] },
    'events.1: "flag-exploded" is not an event type of this version',
  ],
  ["feature", { name: "Größe" }, "name: the API accepts up to 100 letters, digits and - . _ ~ ! * ' ( )"],
  [
    "feature",
    { name: "x".repeat(101) },
    "name: the API accepts up to 100 letters, digits and - . _ ~ ! * ' ( )",
  ],
  ["feature", strategy({ name: "\u001b[2J" }), `${IN}.name: there is no strategy "\\u001b[2J"`],
  ...["101", "-1", "half", "", " ", "NaN", "Infinity"].map((value): [string, Line, string] => [
    "feature",
    rollout(value),
    `${IN}.parameters.rollout: must be 0 to 100, not ${JSON.stringify(value)}`,
  ]),
  ["feature", constraint("NUM_GT", "many"), `${VALUE}: NUM_GT takes a number below 2^53, not "many"`],
  ["feature", constraint("NUM_EQ"), `${VALUE}: NUM_EQ takes a number below 2^53, not nothing`],
  ["feature", constraint("NUM_LTE", ""), `${VALUE}: NUM_LTE takes a number below 2^53, not ""`],
  ["feature", constraint("DATE_AFTER", "soon"), `${VALUE}: DATE_AFTER takes a date, not "soon"`],
  ["feature", constraint("SEMVER_EQ", "1.2"), `${VALUE}: SEMVER_EQ takes a version such as 1.2.3, not "1.2"`],
  [
    "feature",
    constraint("SEMVER_GT", "v1.2.3"),
    `${VALUE}: SEMVER_GT takes a version such as 1.2.3, not "v1.2.3"`,
  ],
  [
    "feature",
    constraint("SEMVER_LT", "1.02.3"),
    `${VALUE}: SEMVER_LT takes a version such as 1.2.3, not "1.02.3"`,
  ],
  ["feature", constraint("LIKE"), `${IN}.constraints.0.operator: is not a known operator`],
  ...["", "(?=a)", "(a", "(a{1,1000}){1,1000}"].map((value): [string, Line, string] => [
    "feature",
    constraint("REGEX", value),
    `${VALUE}: REGEX takes a regular expression in RE2 syntax of at most 1000 characters, not ${JSON.stringify(value)}`,
  ]),
  [
    "feature",
    constraint("SEMVER_GT", "1.2.3+5"),
    `${VALUE}: SEMVER_GT takes a version such as 1.2.3, not "1.2.3+5"`,
  ],
  ["feature", constraint("IN"), `${IN}.constraints.0.values: IN takes at least one value`],
  ["feature", ranges(), `${IN}.constraints.0.values: IN_CIDR takes at least one value`],
  ...["10.0.0.0/33", "::1/129", "10.0.0", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "nowhere"].map(
    (range): [string, Line, string] => [
      "feature",
      ranges("10.0.0.0/8", range),
      `${IN}.constraints.0.values.1: must be an address or a range such as 10.0.0.0/8`,
    ],
  ),
  [
    "feature",
    strategy({ variants: variants(500, 400) }),
    `${IN}.variants: the weights must add up to 1000, not 900`,
  ],
  [
    "feature",
    { environments: [{ name: "production", variants: variants(1000, 1) }] },
    "environments.0.variants: the weights must add up to 1000, not 1001",
  ],
  [
    "segment",
    { constraints: [{ contextName: "x", operator: "NUM_GT", value: "a" }] },
    'constraints.0.value: NUM_GT takes a number below 2^53, not "a"',
  ],
  ["project", { id: "a/b" }, "id: the API accepts up to 100 letters, digits and - . _ ~ ! * ' ( )"],
  ["integration", { provider: "pager" }, 'provider: there is no provider "pager"'],
  ["integration", {}, "parameters.url: is required by webhook"],
  [
    "integration",
    { provider: "new-relic", parameters: { url: "https://x.example", licenseKey: "" } },
    "parameters.licenseKey: is required by new-relic",
  ],
  [
    "feature",
    { type: "x", ...strategy({ name: "geo", variants: variants(1) }) },
    'type: there is no flag type "x"',
    `${IN}.name: there is no strategy "geo"`,
    `${IN}.variants: the weights must add up to 1000, not 1`,
  ],
];

/** The warnings by line. */
async function warnings(db: Database, text: string) {
  const told: Array<[Place, string]> = [];
  await importDataset(db, asChunks(text), { onWarning: (place, message) => told.push([place, message]) });
  return told;
}

for (const [kind, keys, ...expected] of WARNED) {
  test(`${kind} with ${JSON.stringify(keys).slice(0, 150)} is stored with a warning`, async (t) => {
    const db = empty(t);
    await importDataset(db, asChunks(toText(everyKey())));
    assert.deepEqual(
      await warnings(db, toText([HEADER, line(kind, keys)])),
      expected.map((message) => [{ line: 2 }, message]),
    );
  });
}

for (const [kind, keys] of [
  ["feature", { type: "kill-switch", name: "a-B.c_d~9" }],
  ["feature", rollout()],
  ["feature", rollout("0")],
  ["feature", rollout("100")],
  ["feature", rollout("12.5")],
  ["feature", strategy({ name: "userWithId", parameters: { userIds: "1,2" } })],
  ["feature", constraint("NUM_GT", "-1.5e3")],
  ["feature", constraint("DATE_BEFORE", "2026-01-31T09:00:00.000Z")],
  ["feature", constraint("DATE_BEFORE", "2026-01-31")],
  ["feature", constraint("SEMVER_GT", "1.2.3-beta.1")],
  ["feature", constraint("SEMVER_GTE", "1.2.3")],
  ["feature", constraint("REGEX", "^(a+)+$")],
  ["feature", ranges("10.0.0.0/8", "127.0.0.1", "::1", "2001:db8::/32")],
  ["feature", strategy({ variants: variants(334, 333, 333) })],
  ["integration", { provider: "teams", parameters: { url: "*****" } }],
] as ReadonlyArray<[string, Line]>) {
  test(`${kind} with ${JSON.stringify(keys).slice(0, 150)} is stored without a warning`, async (t) => {
    const db = empty(t);
    await importDataset(db, asChunks(toText(everyKey())));
    assert.deepEqual(await warnings(db, toText([HEADER, line(kind, keys)])), []);
  });
}

const NOW = Date.parse("2026-07-01T12:00:00Z");

test("the demo causes no warnings", async (t) => {
  assert.deepEqual(await warnings(empty(t), toText(makeDemo(NOW).lines)), []);
});
