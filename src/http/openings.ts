import type { Database } from "../db/statement.ts";
import { type Answer, type Ask, askNow, isUpToDate } from "./channel.ts";

/** How many are cached; the first message for an application can be megabytes. */
const MOST = 20;

/** Caches the first batch of a stream. After a restart many clients connect at once and get the same bytes. */
export function createOpenings(db: Database) {
  const answers = new Map<string, Answer>();
  return {
    /** @param key shared by callers with the same request and credential @throws as `ask` does */
    ask(key: string, ask: Ask, since: string | undefined): Answer {
      const id = `${since} ${key}`;
      const found = answers.get(id);
      if (found && isUpToDate(db, found)) return found;
      const answer = askNow(db, ask, since);
      if (answers.has(id) || answers.size < MOST) answers.set(id, answer);
      return answer;
    },
    forget: () => answers.clear(),
  };
}
