/** An invalid setting, option or argument. Exit code 2. */
export class UsageError extends Error {}
