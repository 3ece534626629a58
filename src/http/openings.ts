import type { Database } from "../db/statement.ts";
import { type Answer, type Ask, askNow, isUpToDate } from "./channel.ts";

/** How many are kept; an application's first may have megabytes. */
const MOST = 20;

/** What those are told who begin. Many come at once after a restart, and are told the same bytes. */
export function createOpenings(db: Database) {
  const kept = new Map<string, Answer>();
  return {
    /** @param key of those who ask for the same by the same credential @throws as `ask` does */
    ask(key: string, ask: Ask, since: string | undefined): Answer {
      const id = `${since} ${key}`;
      const found = kept.get(id);
      if (found && isUpToDate(db, found)) return found;
      const answer = askNow(db, ask, since);
      if (kept.has(id) || kept.size < MOST) kept.set(id, answer);
      return answer;
    },
    forget: () => kept.clear(),
  };
}
