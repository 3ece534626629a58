import { effect, signal } from "@preact/signals";
import { RequestError } from "../api.ts";
import { isLost } from "../connection.ts";
import { Dropped } from "../session-end.ts";
import { IconButton } from "./button.tsx";

interface Message {
  id: number;
  text: string;
  kind: "done" | "failed" | "lost";
}

const messages = signal<readonly Message[]>([]);

/** How long a success message stays; an error stays until it is dismissed. */
const STAYS_MS = 4000;

let newest = 0;

/** Shows for a moment what was done. */
export function tell(text: string) {
  const id = add(text, "done");
  setTimeout(() => close(id), STAYS_MS);
}

/** Shows what went wrong, in the API's own words; not to a different user than the one who asked for it. */
export function showError(error: unknown) {
  if (error instanceof Dropped) return;
  const isConnectionError = error instanceof RequestError && error.status === 0;
  add(error instanceof Error ? error.message : String(error), isConnectionError ? "lost" : "failed");
}

export const clearMessages = () => {
  messages.value = [];
};

/** Drops connection errors when the server is back. */
effect(() => {
  if (!isLost.value) messages.value = messages.peek().filter(({ kind }) => kind !== "lost");
});

function add(text: string, kind: Message["kind"]) {
  const id = ++newest;
  messages.value = [...messages.value.filter((message) => message.text !== text), { id, text, kind }];
  return id;
}

const close = (id: number) => {
  messages.value = messages.value.filter((message) => message.id !== id);
};

/** The live region where messages are shown and read out: each dialog has its own, since nothing outside is read. */
export const Messages = () => (
  <div class="messages" role="status" aria-live="polite">
    {messages.value.map(({ id, text, kind }) => (
      <p key={id} class={kind === "done" ? "message" : "message failure"}>
        <span>{text}</span>
        <IconButton icon="close" label="Dismiss" onClick={() => close(id)} />
      </p>
    ))}
  </div>
);
