/** Loaded on first use, like everything that a server may never need. */
export const licenses = async (): Promise<string> =>
  // @ts-expect-error esbuild puts the text here
  (await import("#licenses-text")).default;
