import { effect, signal } from "@preact/signals";
import { RequestError } from "../api.ts";
import { isLost } from "../connection.ts";
import { IconButton } from "./button.tsx";

interface Message {
  id: number;
  text: string;
  kind: "done" | "failed" | "lost";
}

const messages = signal<readonly Message[]>([]);

/** How long good news stays; bad news stays until it is closed. */
const STAYS_MS = 4000;

let newest = 0;

/** Says in passing what was done. */
export function tell(text: string) {
  const id = put(text, "done");
  setTimeout(() => close(id), STAYS_MS);
}

/** Says what went wrong, in the API's own words. */
export function tellFailure(error: unknown) {
  const isOfConnection = error instanceof RequestError && error.status === 0;
  put(error instanceof Error ? error.message : String(error), isOfConnection ? "lost" : "failed");
}

/** That the server can't be reached is no longer true when it is back. */
effect(() => {
  if (!isLost.value) messages.value = messages.peek().filter(({ kind }) => kind !== "lost");
});

function put(text: string, kind: Message["kind"]) {
  const id = ++newest;
  messages.value = [...messages.value.filter((one) => one.text !== text), { id, text, kind }];
  return id;
}

const close = (id: number) => {
  messages.value = messages.value.filter((one) => one.id !== id);
};

/** Where they are shown, and read out. */
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
