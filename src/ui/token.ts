import { signal } from "@preact/signals";

/** The token the user signed in with; kept in memory only, so that a reload forgets it. */
export const token = signal<string | undefined>(undefined);
