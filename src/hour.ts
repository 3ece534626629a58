export const HOUR_MS = 3_600_000;

/** When the hour of a time in milliseconds began, RFC 3339. */
export const startOfHour = (time: number) => new Date(time - (time % HOUR_MS)).toISOString();
