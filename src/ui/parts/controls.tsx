import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dropped, isLost, RequestError } from "../api.ts";
import { Icon, type IconName } from "./words.tsx";

interface ButtonProps {
  /** The button is busy until it settles; a failure is shown as a message. */
  onClick(): unknown;
  icon?: IconName;
  kind?: "main" | "danger";
  disabled?: boolean;
  /** Why it is disabled, or more than its label says. */
  title?: string | undefined;
  children: ComponentChildren;
}

export function Button({ onClick, icon, kind, disabled = false, title, children }: ButtonProps) {
  const [isBusy, act] = useAction(onClick);
  return (
    <button type="button" class={kind} onClick={act} disabled={disabled} aria-disabled={isBusy} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  onClick(): unknown;
  icon: IconName;
  /** Its accessible name and tooltip. */
  label: string;
  disabled?: boolean;
  /** Set for a toggle button. */
  isPressed?: boolean;
}

export function IconButton({ onClick, icon, label, disabled = false, isPressed }: IconButtonProps) {
  const [isBusy, act] = useAction(onClick);
  return (
    <button
      type="button"
      class="bare"
      onClick={act}
      disabled={disabled}
      aria-disabled={isBusy}
      aria-label={label}
      aria-pressed={isPressed}
    >
      <Icon name={icon} title={label} />
    </button>
  );
}

interface SwitchProps {
  isOn: boolean;
  label: string;
  onChange(isOn: boolean): unknown;
  disabled?: boolean;
}

/** A toggle whose state shows by position and shape, not by colour alone. */
export function Switch({ isOn, label, onChange, disabled = false }: SwitchProps) {
  const [isBusy, act] = useAction(() => onChange(!isOn));
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={disabled}
      aria-disabled={isBusy}
      onClick={act}
    />
  );
}

/** A busy button ignores clicks but keeps the focus, which it would lose if it were disabled. */
function useAction(action: () => unknown): [isBusy: boolean, act: (event: Event) => Promise<void>] {
  const [isBusy, setBusy] = useState(false);
  const act = async (event: Event) => {
    event.stopPropagation();
    if (isBusy) return;
    setBusy(true);
    try {
      await action();
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  };
  return [isBusy, act];
}

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
