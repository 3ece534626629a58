import type { Output } from "./api.ts";
import { hourOf } from "./format.ts";
import type { Bar } from "./parts/chart.tsx";

/*
 * How often applications evaluated a flag, hour by hour.
 */

export type Hour = Output<"GET /api/admin/client-metrics/features/:name/raw">["data"][number];

/** How often it was on and off in all of the hours. */
export const totalOf = (hours: readonly Hour[]) => ({ yes: sum(hours, "yes"), no: sum(hours, "no") });

export const isUsed = ({ yes, no }: Pick<Hour, "yes" | "no">) => yes + no > 0;

const sum = (hours: readonly Hour[], result: "yes" | "no") =>
  hours.reduce((total, hour) => total + hour[result], 0);

/** The hours that are over: the server's last one isn't, and would look as if the use had fallen. */
export function whole(hours: readonly Hour[]): Hour[] {
  const running = hours.reduce((last, { timestamp }) => (timestamp > last ? timestamp : last), "");
  return hours.filter(({ timestamp }) => timestamp < running);
}

export const SERIES = ["on", "off"] as const;

/** A bar for each of the hours, of whatever is in it, with the `SERIES`. */
export const hourlyBars = (hours: readonly Hour[], times: readonly string[]): Bar[] =>
  times.map((time) => {
    const { yes, no } = totalOf(hours.filter(({ timestamp }) => timestamp === time));
    return { ...hourOf(time), values: [yes, no] };
  });
