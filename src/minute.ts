/**
 * The age of a flag is counted in whole minutes, so that an answer stays valid until the next one begins and can be
 * cached that long. In milliseconds.
 */
export const startOfMinute = (now = Date.now()) => now - (now % 60_000);
