import { effect, signal } from "@preact/signals";
import { Dropped, isLost, RequestError } from "./api.ts";

/*
 * What the page tells the user beside its views: what was done, and what went wrong.
 */

interface Message {
  id: number;
  /** With an offer, the summary of an event. */
  text: string;
  kind: "done" | "failed" | "lost";
  offer?: Offer | undefined;
  /** Where to read more. */
  link?: string | undefined;
}

/** What the user may do about a message; it is closed then. */
interface Offer {
  label: string;
  act(): Promise<unknown>;
}

export const messages = signal<readonly Message[]>([]);

/** How long messages of success stay, without and with an offer; an error stays until it is dismissed. */
const STAYS_MS = 4000;
const OFFERED_MS = 10_000;

/** Those that are read or reached at the moment stay longer. */
const HELD = ".messages:is(:hover, :has(:focus-visible))";

/** More would cover the view: the oldest gives way. */
const MOST = 3;

let newest = 0;

/** Shows for a moment what was done; a message without an offer gives way to the next one. */
export function tell(text: string, offer?: Offer) {
  const id = add({ text, kind: "done", offer });
  closeAfter(offer ? OFFERED_MS : STAYS_MS, id);
}

function closeAfter(ms: number, id: number) {
  setTimeout(() => (document.querySelector(HELD) ? closeAfter(1000, id) : closeMessage(id)), ms);
}

/**
 * Shows what went wrong, in the API's own words; not to a different user than the one who asked for it.
 * @param link where to read more
 */
export function showError(error: unknown, link?: string) {
  if (error instanceof Dropped) return;
  const isConnectionError = error instanceof RequestError && error.status === 0;
  const text = error instanceof Error ? error.message : String(error);
  add({ text, kind: isConnectionError ? "lost" : "failed", link });
}

export const clearMessages = () => {
  messages.value = [];
};

/** Drops connection errors when the server is back. */
effect(() => {
  if (!isLost.value) messages.value = messages.peek().filter(({ kind }) => kind !== "lost");
});

function add(message: Omit<Message, "id">) {
  const id = ++newest;
  const others = messages.value.filter(({ text, kind, offer }) =>
    kind === "done" ? offer && text !== message.text : text !== message.text,
  );
  messages.value = [...others, { id, ...message }].slice(-MOST);
  return id;
}

/** Removes a message. */
export const closeMessage = (id: number) => {
  messages.value = messages.value.filter((message) => message.id !== id);
};
