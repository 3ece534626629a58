/**
 * The age of a flag is counted in whole minutes, so that a response stays valid until the next minute begins and can be
 * cached that long. In milliseconds.
 */
export const startOfMinute = (now = Date.now()) => now - (now % 60_000);
