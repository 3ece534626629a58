import type { IncomingMessage, RequestListener } from "node:http";
import type { Database } from "../db/statement.ts";
import { isKnown, type Parts } from "./response.ts";

/*
 * Reads are mostly repeated, and mostly nothing has changed between. Answers are kept by caller and URL, and every
 * kept one counts only as long as the database, this process's view of it included, has not changed at all.
 */

/** How many bytes of bodies are kept; the oldest go first. */
const KEPT_BYTES = 16 * 1024 * 1024;

export interface Answers {
  /** Answers what is kept; the listener gets the rest. */
  first(listener: RequestListener): RequestListener;
  /** Keeps the answer to a read, until the caller's token ends (RFC 3339) or anything changes. */
  keep(request: IncomingMessage, answer: Parts, until: string | null): void;
}

interface Kept extends Parts {
  bytes: Buffer;
  until: string | null;
}

export function createAnswers(db: Database): Answers {
  const state = stateOf(db);
  const kept = new Map<string, Kept>();
  const asked = new WeakMap<IncomingMessage, string>();
  let size = 0;
  let since = "";

  const find = (request: IncomingMessage) => {
    const now = state();
    if (now !== since) {
      kept.clear();
      size = 0;
      since = now;
    }
    const answer = kept.get(keyOf(request));
    if (answer && !isPast(answer.until)) return answer;
    asked.set(request, now);
    return undefined;
  };

  return {
    first: (listener) => (request, response) => {
      const answer = isRead(request) ? find(request) : undefined;
      if (!answer) return listener(request, response);
      const { headers, bytes } = answer;
      if (isKnown(request.headers["if-none-match"], headers.etag)) {
        const { "content-length": _, ...rest } = headers;
        response.writeHead(304, rest).end();
      } else {
        response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : bytes);
      }
    },
    keep(request, answer, until) {
      // What was read while another process committed may be of either state.
      if (asked.get(request) !== since || state() !== since) return;
      const bytes = Buffer.from(answer.body);
      kept.set(keyOf(request), { ...answer, bytes, until });
      size += bytes.length;
      for (const [key, oldest] of kept) {
        if (size <= KEPT_BYTES) break;
        kept.delete(key);
        size -= oldest.bytes.length;
      }
    },
  };
}

const isRead = ({ method }: IncomingMessage) => method === "GET" || method === "HEAD";

const keyOf = ({ headers, url }: IncomingMessage) => `${headers.authorization} ${url}`;

const isPast = (time: string | null) => time !== null && time <= new Date().toISOString();

/**
 * Tells one state of what answers are made from another: this process's changes, those of others, and the minute,
 * by which the age of a flag is reckoned.
 */
function stateOf(db: Database) {
  const own = db.prepare<[], number>("SELECT total_changes()").pluck();
  const others = db.prepare<[], number>("PRAGMA data_version").pluck();
  return () => `${own.get()} ${others.get()} ${Math.floor(Date.now() / 60_000)}`;
}
