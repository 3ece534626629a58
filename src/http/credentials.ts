import type { IncomingMessage } from "node:http";

/** The headers that can identify a caller. */
const CREDENTIALS = ["authorization", "x-api-key", "cookie"] as const;

/** By what a caller is identified, always in the same order: nothing made for one caller is given to another. */
export const credentialsOf = ({ headers }: IncomingMessage): Array<string | string[] | undefined> =>
  CREDENTIALS.map((name) => headers[name]);
