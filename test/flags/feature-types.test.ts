import assert from "node:assert/strict";
import { type Scenario, scenarios } from "../support/server.ts";
import { personal, SERVICE } from "../support/world.ts";

const TYPES = "/api/admin/feature-types";

scenarios(`GET ${TYPES}`, [
  {
    name: "a viewer sees all, in their order",
    as: personal(3),
    see: ({ version, types }) => {
      assert.equal(version, 1);
      assert.deepEqual(
        types.map(({ id, lifetimeDays }: { id: string; lifetimeDays: number }) => [id, lifetimeDays]),
        [
          ["release", 40],
          ["experiment", 40],
          ["operational", 7],
          ["kill-switch", null],
          ["permission", null],
        ],
      );
    },
  },
]);

const set = (lifetimeDays: unknown, rest: Partial<Scenario>): Scenario => ({
  name: `${JSON.stringify(lifetimeDays)} days`,
  body: { lifetimeDays },
  ...rest,
});

scenarios(`PUT ${TYPES}/release/lifetime`, [
  set(5, { name: "no credential", as: null, expect: [401, "AuthenticationRequired"] }),
  set(5, { name: "an Editor", as: personal(2), expect: [403, "NoAccessError"] }),
  ...[5, 2147483647].map((days) =>
    set(days, {
      as: SERVICE,
      records: [
        {
          type: "feature-type-updated",
          project: null,
          data: { id: "release", name: "Release", lifetimeDays: days },
          preData: { id: "release", lifetimeDays: 40 },
        },
      ],
      see: ({ lifetimeDays }) => assert.equal(lifetimeDays, days),
    }),
  ),
  ...[0, null].map((days) =>
    set(days, {
      name: `${days} days mean forever`,
      records: [{ type: "feature-type-updated" }],
      see: ({ lifetimeDays }) => assert.equal(lifetimeDays, null),
    }),
  ),
  ...[-1, 1.5, "x", 2147483648, undefined, true].map((days) =>
    set(days, {
      expect: [400, "ValidationError"],
      see: ({ details }) => assert.equal(details[0].path, "body.lifetimeDays"),
    }),
  ),
  set(5, { name: "an unknown type", url: `${TYPES}/nosuch/lifetime`, expect: [404, "NotFoundError"] }),
]);
