import type { Listener } from "./listener.ts";

/** How long one turn of the event loop answers requests, in milliseconds. */
const BUDGET_MS = 2;

/**
 * Answers requests in turns that end in time, the rest in the next one. Node accepts one connection a turn of its
 * event loop: with a thousand busy connections a turn would last half a second, and new ones would wait for minutes.
 */
export function inTurns(listener: Listener): Listener {
  const waiting: Array<() => void> = [];
  let isTurn = false;
  let end = 0;

  const begin = () => {
    end = performance.now() + BUDGET_MS;
    isTurn = true;
    setImmediate(next);
  };
  const next = () => {
    isTurn = false;
    if (waiting.length === 0) return;
    begin();
    answerWaiting();
  };
  const answerWaiting = () => {
    waiting.shift()?.();
    if (waiting.length > 0 && performance.now() < end) queueMicrotask(answerWaiting);
  };

  return (request, response) => {
    if (!isTurn) begin();
    if (waiting.length === 0 && performance.now() < end) return listener(request, response);
    waiting.push(() => {
      if (!response.destroyed) listener(request, response); // else its client has gone
    });
  };
}
