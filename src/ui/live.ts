import { addressOf } from "./api.ts";
import { refresh, refreshAnswered } from "./reads.ts";
import { token } from "./token.ts";

/** However much happens, what is shown is asked for again no more often. */
const SHORTEST_MS = 500;

/** When a stream that was refused is asked for again: browsers go on by themselves only if it breaks off. */
const AGAIN_MS = 5000;

/**
 * Follows what others change, by the stream of events, and asks again for what is shown; likewise if the stream ends,
 * which shows whether the session has, or the server is gone. A window that nobody sees doesn't follow: browsers have
 * only a few connections to a server.
 * @returns what stops it
 */
export function followEvents(): () => void {
  if (token.value !== undefined) return askEvery(AGAIN_MS); // browsers open streams with cookies alone
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const ask = () => {
    timer = undefined;
    last = performance.now();
    void refresh();
  };
  const hear = () => {
    timer ??= setTimeout(ask, Math.max(0, last + SHORTEST_MS - performance.now()));
  };
  /** Something may have happened before; at first that is a moment, and what is not there need not be asked for twice. */
  const catchUp = () => {
    if (last > 0) return hear();
    last = performance.now();
    void refreshAnswered();
  };
  const leave = () => {
    clearTimeout(again);
    source?.close();
    source = undefined;
  };
  const follow = () => {
    leave();
    if (document.hidden) return;
    source = new EventSource(new URL(addressOf("GET /api/admin/events/stream"), document.baseURI));
    source.onmessage = hear;
    source.onopen = catchUp;
    source.onerror = () => {
      hear();
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(follow, AGAIN_MS);
    };
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    clearTimeout(timer);
    leave();
  };
}

/** Asks again and again for what is shown, where no stream tells of it. @returns what stops it */
export function askEvery(ms: number): () => void {
  const timer = setInterval(() => document.hidden || void refresh(), ms);
  return () => clearInterval(timer);
}
