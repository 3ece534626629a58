import type { ServerResponse } from "node:http";
import { ApiError } from "../lib/api-error.ts";
import { nextTurn } from "../lib/background.ts";

/*
 * Some requests take so much memory that only a few may be open. The rest wait in order, except that a caller who has
 * one open lets the others go first.
 */

/** How many are open, whoever they are from. */
const MAX_OPEN = 4;

/** How many wait, of one caller and of all; each may hold a body of 1 MiB. */
const MAX_WAITING_OF_CALLER = 10;
const MAX_WAITING = 50;

interface Place {
  caller: string;
  begin(): void;
}

export type FewAtOnce = (caller: string, response: ServerResponse) => Promise<void>;

/** @returns a function that resolves when a response may begin; it counts as open until it is closed, read or not */
export function createFewAtOnce(): FewAtOnce {
  const open = new Set<Place>();
  const waiting = new Set<Place>();
  const isOpen = (caller: string) => [...open].some((place) => place.caller === caller);
  const beginNext = () => {
    for (const place of waiting) {
      if (open.size >= MAX_OPEN) return;
      if (isOpen(place.caller)) continue;
      waiting.delete(place);
      open.add(place);
      place.begin();
    }
  };
  return (caller, response) => {
    if (response.closed) return new Promise(() => {}); // nobody is waiting for it
    const ofCaller = [...waiting].filter((place) => place.caller === caller);
    if (waiting.size >= MAX_WAITING || ofCaller.length >= MAX_WAITING_OF_CALLER) throw tooMany();
    const { promise, resolve } = Promise.withResolvers<void>();
    const begin = () => void nextTurn().then(() => response.closed || resolve());
    const place = { caller, begin };
    waiting.add(place);
    response.once("close", () => {
      waiting.delete(place);
      if (open.delete(place)) beginNext();
    });
    beginNext();
    return promise;
  };
}

export const tooMany = () =>
  new ApiError("RateLimitError", "Too many requests like this one are waiting: try again in a second", {
    headers: { "retry-after": "1" },
    isLogged: false,
  });
