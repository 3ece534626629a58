import { timestamp } from "./timestamp.ts";
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The start of the hour that contains a time in milliseconds, RFC 3339. */
export const startOfHour = (time: number) => `${timestamp(time).slice(0, 13)}:00:00.000Z`;
