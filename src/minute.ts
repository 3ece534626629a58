/**
 * The age of a flag is reckoned by whole minutes, so that an answer holds until the next one begins and can be kept
 * that long. In milliseconds.
 */
export const startOfMinute = (now = Date.now()) => now - (now % 60_000);
