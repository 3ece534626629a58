import type * as v from "valibot";
import type { HoursOfUse } from "../server/operations.ts";
import { hourOf } from "./format.ts";

/*
 * How often applications evaluated a flag, hour by hour.
 */

export type Hour = v.InferOutput<typeof HoursOfUse>["data"][number];

/** How often it was on and off in all of the hours. */
export const totalOf = (hours: readonly Hour[]) => ({ yes: sum(hours, "yes"), no: sum(hours, "no") });

export const isUsed = ({ yes, no }: Pick<Hour, "yes" | "no">) => yes + no > 0;

const sum = (hours: readonly Hour[], result: "yes" | "no") =>
  hours.reduce((total, hour) => total + hour[result], 0);

const HOUR_MS = 3_600_000;

/**
 * The last hours that are over, oldest first, as RFC 3339. The running one would look as if the use had fallen; by the
 * server's clock it is its newest, whatever the reader's says.
 */
export function hoursBefore(hours: readonly Hour[], count: number, now = Date.now()): string[] {
  const newest = hours.length > 0 ? Math.max(...hours.map(({ timestamp }) => Date.parse(timestamp))) : now;
  const running = newest - (newest % HOUR_MS);
  return Array.from({ length: count }, (_, index) =>
    new Date(running - (count - index) * HOUR_MS).toISOString(),
  );
}

export const SERIES = ["on", "off"] as const;

/** A bar for each of the times, of whatever is in that hour, with the `SERIES`. */
export const hourlyBars = (hours: readonly Hour[], times: readonly string[]) =>
  times.map((time) => {
    const { yes, no } = totalOf(hours.filter(({ timestamp }) => timestamp === time));
    return { ...hourOf(time), values: [yes, no] };
  });
