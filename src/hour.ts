export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The start of the hour that contains a time in milliseconds, RFC 3339. */
export const startOfHour = (time: number) => new Date(time - (time % HOUR_MS)).toISOString();
