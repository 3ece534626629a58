import assert from "node:assert/strict";
import { test } from "node:test";
import { type Hour, hourlyBars, hoursBefore } from "../../src/ui/use.ts";

const hour = (timestamp: string, yes: number, no = 0): Hour => ({
  featureName: "f",
  appName: "shop",
  environment: "production",
  timestamp,
  yes,
  no,
  variants: {},
});

const NOON = Date.parse("2026-03-01T12:20:00Z");

test("the hours of a chart are over, whatever the reader's clock says", () => {
  assert.deepEqual(hoursBefore([], 2, NOON), ["2026-03-01T10:00:00.000Z", "2026-03-01T11:00:00.000Z"]);
  const ahead = [hour("2026-03-01T13:00:00.000Z", 1)];
  assert.deepEqual(hoursBefore(ahead, 2, NOON), ["2026-03-01T11:00:00.000Z", "2026-03-01T12:00:00.000Z"]);
  const behind = [hour("2026-03-01T11:00:00.000Z", 1)];
  assert.deepEqual(hoursBefore(behind, 2, NOON), ["2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z"]);
});

test("an hour without use is a bar of nothing, and applications of an hour are added up", () => {
  const times = hoursBefore([], 2, NOON);
  const bars = hourlyBars([hour(times[1]!, 3, 1), hour(times[1]!, 4)], times);
  assert.deepEqual(
    bars.map(({ values }) => values),
    [
      [0, 0],
      [7, 1],
    ],
  );
});
