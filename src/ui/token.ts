import { signal } from "@preact/signals";

/** The token that somebody signed in with: nowhere but in memory, so that a page that is loaded anew doesn't know it. */
export const token = signal<string | undefined>(undefined);
