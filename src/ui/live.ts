import { addressOf } from "./api.ts";
import { refresh, refreshAnswered } from "./reads.ts";
import { token } from "./token.ts";

/** The shortest time between two refreshes, however many events arrive. */
const MIN_INTERVAL_MS = 500;

/** When a refused stream is reopened: browsers reconnect by themselves only if an open one breaks off. */
const RETRY_MS = 5000;

/**
 * Follows the event stream, and refetches what is on screen when others change something; also when the stream ends,
 * which shows whether the session has ended or the server is gone. A hidden window closes its stream, since browsers
 * allow only a few connections per server.
 * @returns a function that stops it
 */
export function followEvents(): () => void {
  if (token.value !== undefined) return refreshEvery(RETRY_MS); // an EventSource can't send a token, only cookies
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const refetch = () => {
    timer = undefined;
    last = performance.now();
    void refresh();
  };
  const schedule = () => {
    timer ??= setTimeout(refetch, Math.max(0, last + MIN_INTERVAL_MS - performance.now()));
  };
  /** Events may have been missed before it opened. The first time that is only a moment, so failed reads aren't retried. */
  const catchUp = () => {
    if (last > 0) return schedule();
    last = performance.now();
    void refreshAnswered();
  };
  const disconnect = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const connect = () => {
    disconnect();
    if (document.hidden) return;
    source = new EventSource(new URL(addressOf("GET /api/admin/events/stream"), document.baseURI));
    source.onmessage = schedule;
    source.onopen = catchUp;
    source.onerror = () => {
      schedule();
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_MS);
    };
  };
  connect();
  document.addEventListener("visibilitychange", connect);
  return () => {
    document.removeEventListener("visibilitychange", connect);
    clearTimeout(timer);
    disconnect();
  };
}

/** Refetches what is on screen at intervals, for what no stream reports. @returns a function that stops it */
export function refreshEvery(ms: number): () => void {
  const timer = setInterval(() => document.hidden || void refresh(), ms);
  return () => clearInterval(timer);
}
