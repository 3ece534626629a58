import { signal } from "@preact/signals";
import { IconButton } from "./button.tsx";

interface Message {
  id: number;
  text: string;
  isFailure: boolean;
}

const messages = signal<readonly Message[]>([]);

/** How long good news stays; bad news stays until it is closed. */
const STAYS_MS = 4000;

let newest = 0;

/** Says in passing what was done. */
export function tell(text: string) {
  const id = put(text, false);
  setTimeout(() => close(id), STAYS_MS);
}

/** Says what went wrong, in the API's own words. */
export const tellFailure = (error: unknown) => void put((error as Error).message ?? String(error), true);

function put(text: string, isFailure: boolean) {
  const id = ++newest;
  messages.value = [...messages.value.filter((one) => one.text !== text), { id, text, isFailure }];
  return id;
}

const close = (id: number) => {
  messages.value = messages.value.filter((one) => one.id !== id);
};

/** Where they are shown, and read out. */
export const Messages = () => (
  <div class="messages" role="status" aria-live="polite">
    {messages.value.map(({ id, text, isFailure }) => (
      <p key={id} class={isFailure ? "message failure" : "message"}>
        <span>{text}</span>
        <IconButton icon="close" label="Close this message" onClick={() => close(id)} />
      </p>
    ))}
  </div>
);
