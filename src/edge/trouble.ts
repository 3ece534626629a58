import { explainNetworkError } from "../http/client.ts";
import type { Log } from "../lib/logger.ts";
import type { Upstream } from "./upstream.ts";

export interface Trouble {
  /** Asks upstream, and logs why that can't be done, once. @param what is asked @returns whether it was answered */
  noting(what: string, ask: () => Promise<unknown>): Promise<boolean>;
  /** From now on, that need not be asked. */
  forget(what: string): void;
}

/** Logs when upstream can't be asked something, and when all that it could not be asked has been answered. */
export function createTrouble(log: Log, { url, options }: Upstream): Trouble {
  const reasons = new Map<string, string>();
  const note = (what: string, reason: string) => {
    const isNew = ![...reasons.values()].includes(reason);
    reasons.set(what, reason);
    if (isNew) log({ level: "warn", message: `${url} can't be asked: ${reason}` });
  };
  const forget = (what: string) => {
    if (reasons.delete(what) && reasons.size === 0) log({ level: "info", message: `${url} answers again` });
  };
  return {
    forget,
    async noting(what, ask) {
      try {
        await ask();
      } catch (error) {
        if (!options.signal?.aborted) note(what, explainNetworkError(error as Error));
        return false;
      }
      forget(what);
      return true;
    },
  };
}
