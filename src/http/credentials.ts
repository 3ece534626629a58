import type { IncomingMessage } from "node:http";

/** The headers that can identify a caller. */
const CREDENTIALS = ["authorization", "x-api-key", "cookie"] as const;

/** A caller's credentials, always in the same order; caches key by them, so that no caller gets another's response. */
export const credentialsOf = ({ headers }: IncomingMessage): Array<string | string[] | undefined> =>
  CREDENTIALS.map((name) => headers[name]);
