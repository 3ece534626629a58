export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The start of the hour that contains a time in milliseconds, RFC 3339. */
export const startOfHour = (time: number) => `${timestamp(time).slice(0, 13)}:00:00.000Z`;

/**
 * The age of a flag is counted in whole minutes, so that a response stays valid until the next minute begins and can be
 * cached that long. In milliseconds.
 */
export const startOfMinute = (now = Date.now()) => now - (now % 60_000);

/** Later times have a longer form, which doesn't sort and is refused by an import. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time in milliseconds since 1970, or else now, as RFC 3339; even by a clock that is wrong by millennia. */
export const timestamp = (time = Date.now()): string => new Date(Math.min(time, LATEST)).toISOString();
